import type { Exchange } from "../../client/exchange.ts";
import type { Deviations } from "../dialects/schema.ts";
import type { Learning } from "./discovery.ts";
import { pathDeviations } from "./form.ts";
import type { Access, TriedPath } from "./form.ts";

/** What departs in the form in which a target answers. */
export function learnedOfAccess(
  { form, first }: Access,
  tried: readonly TriedPath[],
  { authorization }: Deviations,
): readonly Learning[] {
  const { basePath, scheme, trailingSlash = false } = form;
  const asked = tried.flatMap(({ exchanges }) => exchanges);
  const found: Learning[] = [];
  if (basePath !== undefined) found.push(learnedPath(basePath, [...asked.slice(0, 1), first]));
  if (trailingSlash) found.push(learnedSlash(asked));
  if (scheme === "bearer" && authorization === undefined) found.push(learnedBearer(asked, first));
  return found;
}

function learnedPath(basePath: string, seen: readonly Exchange[]): Learning {
  const shown = `${basePath}/run`.replace("{endpointId}", "<endpoint>");
  return {
    id: idOfPath(basePath),
    topic: "path",
    text: `${missingIn(basePath)}: ${shown} answers, /v2/<endpoint>/run does not`,
    adapted: "went on with it",
    breaks: ["ENDP-01"],
    expected: "an answer at /v2/<endpoint>/…",
    deviations: { basePath },
    seen,
  };
}

function idOfPath(basePath: string): string {
  if (basePath.startsWith("/v1")) return "path-v1";
  return basePath === "/v2" ? "path-without-endpoint" : "path-without-v2";
}

function missingIn(basePath: string): string {
  if (basePath === "") return "neither /v2 nor the endpoint is in the path";
  if (basePath === "/v2") return "the endpoint is not in the path";
  return basePath.startsWith("/v1") ? "/v1 stands for /v2 in the path" : "/v2 is not in the path";
}

function learnedSlash(asked: readonly Exchange[]): Learning {
  const seen = asked.filter(({ answer }) => answer?.headers["location"] !== undefined);
  return {
    id: "redirects-to-slash",
    topic: "front",
    text: "a path without a slash at its end is redirected to the one with it",
    adapted: "asked with the slash",
    deviations: pathDeviations({ trailingSlash: true }),
    seen: seen.slice(0, 1),
  };
}

function learnedBearer(asked: readonly Exchange[], first: Exchange): Learning {
  const refused = asked.findLast(
    ({ answer, operation }) => answer?.status === 401 && operation === first.operation,
  );
  return {
    id: "key-bearer-only",
    topic: "key",
    text: "a key is taken as `Bearer KEY` alone: the bare key is refused",
    adapted: "went on with it",
    breaks: ["AUTH-03"],
    expected: "the bare key to be accepted",
    deviations: { authorization: "bearer" },
    seen: [...(refused === undefined ? [] : [refused]), first],
  };
}
