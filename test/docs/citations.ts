import { posix } from "node:path";
import { isRequirementId, requirementIds } from "../../openapi/requirements.ts";
import { anchorOf, headings, withoutSamples } from "./pages.ts";

/** Documents that are not in the repository, so nothing may refer to them. */
const outside = ["spec", "targets", "report", "design", "style", "anchors", "observed", "load"];
const outsideName = new RegExp(`\\b(?:${outside.join("|").toUpperCase()})\\.md\\b|\\bSPEC\\b`, "g");

const areas = [...new Set(requirementIds.map((id) => id.slice(0, 4)))];
const requirementId = new RegExp(`\\b(?:${areas.join("|")})-\\d\\d\\b`, "g");
/** Ids that tests use for a requirement that does not exist. */
const noRequirement = /-99$/;

const pageName = /(?<![\w./-])(?:docs\/[\w./-]+|README|CHANGELOG)\.md(?:#[\w-]+)?/g;
const link = /\]\((?!\w+:)([^)\s]+)\)/g;
const codeSpan = /`([\w.-]+(?:\/[\w.-]+)+\/?)`/g;
/** Paths that exist only after a run or a build, and words that a reader replaces. */
const notTracked = /^reports\/(?:latest|replay|targets)\b|[A-Z]{3}/;

/** Returns the references of a file that lead nowhere; `tracked` holds the paths of all files. */
export function brokenCitations(
  path: string,
  text: string,
  tracked: ReadonlySet<string>,
): readonly string[] {
  const ids = matches(text, requirementId);
  const places = path.endsWith(".md") ? placesOfPage(path, text, tracked) : [];
  return [
    ...matches(text, outsideName),
    ...ids.filter((id) => !isRequirementId(id) && !noRequirement.test(id)),
    ...[...matches(text, pageName), ...places].filter((place) => !leadsTo(place, tracked)),
  ];
}

/** Returns the targets of a page's links, and the paths that it names. */
function placesOfPage(page: string, text: string, tracked: ReadonlySet<string>): readonly string[] {
  const sentences = withoutSamples(text);
  const links = [...sentences.matchAll(link)].map(([, target = ""]) =>
    target.startsWith("#") ? `${page}${target}` : posix.join(posix.dirname(page), target),
  );
  const folders = new Set([...tracked].map((file) => file.split("/")[0]));
  const paths = [...sentences.matchAll(codeSpan)]
    .map(([, named = ""]) => named)
    .filter((named) => folders.has(named.split("/")[0]) && !notTracked.test(named));
  return [...links, ...paths];
}

function leadsTo(place: string, tracked: ReadonlySet<string>): boolean {
  const [path = "", anchor] = place.split("#");
  const folder = path.endsWith("/") ? path : `${path}/`;
  const exists = tracked.has(path) || [...tracked].some((file) => file.startsWith(folder));
  if (!exists || anchor === undefined) return exists;
  return headings.get(path)?.some((title) => anchorOf(title) === anchor) ?? false;
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}
