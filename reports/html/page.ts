import { pageStyles } from "./generated/client.ts";
import { html, raw, type Markup } from "./markup.ts";

interface Page {
  /** What stands behind the name of this program. */
  readonly title: string;
  /** The source, as a policy names it, of the one script that may run; absent: none may. */
  readonly scriptSource?: string;
}

/**
 * Makes the text of a page. It may load nothing and run at most one script, so that even markup that slipped through the
 * escaping could neither run nor send a request.
 */
export function pageText({ title, scriptSource }: Page, body: Markup): string {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...(scriptSource === undefined ? [] : [`script-src ${scriptSource}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${raw(policy)}" />
        <title>queueproof: ${title}</title>
        <style>
          ${raw(pageStyles)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  return `${page.toString()}\n`;
}
