/** A value for the handler, written as the JSON text that is sent. */
export interface InputRow {
  readonly label: string;
  readonly text: string;
}

/** Deeper than inputs are nested in practice, and no deeper than a plain parser reads (128 levels). */
const depth = 100;
const longCharacters = 200_000;
const manyElements = 2000;
/** More than a page of results, and than a careless limit of an array. */
const longArrayElements = 20_000;
/** Longer than the names of columns and files may be. */
const longKeyCharacters = 1000;

/** Values that an input may hold and a careless copy would change. A JSON parser by itself keeps all of them. */
export const inputRows: readonly InputRow[] = [
  row("null", null),
  row("true", true),
  row("false", false),
  row("zero", 0),
  row("an empty string", ""),
  row("an empty object", {}),
  row("an empty array", []),
  row("empty things within things", { a: {}, b: [], c: [[], {}, [[]]], d: { e: { f: {} } } }),
  row("null inside", { a: null, b: [null, null], c: { d: null } }),
  row("an array of everything", [null, true, false, 0, -1, 1.5, "", "text", {}, [], [1, [2, [3]]]]),
  row("integers at the edge", [1, -1, 2_147_483_648, -2_147_483_649, 4_294_967_296]),
  row("the largest safe integers", [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]),
  row("fractions", [0.1, -0.1, 0.3, 1e-7, 123_456.789, Math.PI]),
  row("large and small numbers", [Number.MAX_VALUE, Number.MIN_VALUE, 1e21, -1e300, 5e-300]),
  written("numbers written with an exponent", "[1E3, 1e+3, 1.0, 10e-1, 0.10]"),
  row("text that looks like something else", [
    "null",
    "true",
    "1",
    "1.0",
    "{}",
    "[]",
    "NaN",
    "yes",
    "no",
    "on",
    "off",
    "~",
  ]),
  row("text that looks like a date", [
    "2024-01-01T00:00:00.000Z",
    "2024-01-01T00:00:00Z",
    "2024-06-01T12:00:00+02:00",
    "2024-02-30",
    "/Date(0)/",
  ]),
  row("text that looks like an address", [
    "https://example.org",
    "HTTP://Example.org:80/a/../b?c=d e#f",
    "data:text/plain;base64,dGV4dA==",
    "somebody@example.org",
  ]),
  row("objects that look like something else", [
    { type: "Buffer", data: [1, 2, 3] },
    { $date: "2024-01-01T00:00:00.000Z" },
    { $oid: "507f1f77bcf86cd799439011" },
    { $ref: "#/a" },
    { "0": "a", "1": "b" },
  ]),
  row("white space", [" ", "  two  ", "\t", "\n", "\r\n", "\u00A0", "\u2028\u2029", "\uFEFF"]),
  row("control characters", ["\u0000", "a\u0000b", "\u0001\u001F", "\u007F\u0085"]),
  row("invisible characters and non-characters", [
    "a\u200Bb",
    "a\u200Db",
    "a\u00ADb",
    "\uFEFFa",
    "a\uFEFFb",
    "\uFDD0",
    "\uFFFE",
    "\uFFFF",
  ]),
  row("quotes and escapes", [
    '"',
    "\\",
    "\\n",
    "\\u0041",
    "/",
    "</script>",
    "'",
    "`",
    "${a}",
    "%00",
  ]),
  row("text that other languages read", [
    "&amp;&lt;",
    "a+b",
    "a%20b",
    "$$",
    "$&",
    "%s %d",
    "{{x}}",
    "$HOME",
    "{0}",
    "<b>x</b>",
    "'; --",
  ]),
  row("accents, composed and combining", ["é", "e\u0301", "Å", "A\u030A", "ﬁ", "ſ", "İ"]),
  row("many scripts", ["Ünïcödé", "日本語", "עברית", "العربية", "हिन्दी", "ไทย", "한국어"]),
  row("astral characters", ["😀", "👩‍👩‍👧‍👦", "🇪🇺", "𝒳", "𠜎", "\u{10FFFF}"]),
  written("characters written as escapes", String.raw`["\u00e9", "\ud83d\ude00", "\u0041\/"]`),
  row("keys of many kinds", {
    "": 1,
    " ": 2,
    "a.b": 3,
    $where: 4,
    "@type": 5,
    日本: 6,
    "😀": 7,
    'a"b\\c': 8,
    "a\nb\u0000": 9,
  }),
  row("keys of several words, and of secrets", {
    snake_case: 1,
    camelCase: 2,
    "kebab-case": 3,
    password: "p",
    api_key: "k",
    token: "t",
  }),
  row("keys of databases, and a long one", {
    _id: 1,
    $set: 2,
    "a[0]": 3,
    "a/b": 4,
    ["k".repeat(longKeyCharacters)]: 5,
  }),
  row("keys that are numbers", { "0": "a", "10": "b", "-1": "c", "1.5": "d", "01": "e" }),
  row("keys that differ in case", { a: 1, A: 2, key: 3, KEY: 4, Key: 5 }),
  row("keys that differ in composition", { é: 1, "e\u0301": 2 }),
  row("the service's own names", {
    id: "x",
    status: "FAILED",
    input: { op: "fail" },
    output: null,
    webhook: "no url",
    policy: { ttl: 1 },
    error: "none",
  }),
  // Written as text: an object literal would set the prototype, and JSON.stringify would leave the key out.
  written("the key __proto__", '{"__proto__": {"polluted": true}, "a": {"__proto__": null}}'),
  written(
    "keys of every object",
    '{"constructor": {"prototype": {}}, "toString": 1, "then": "no"}',
  ),
  row("keys of collections", {
    length: 3,
    size: 1,
    hasOwnProperty: false,
    valueOf: null,
    toJSON: 1,
  }),
  written("objects nested deep", `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
  written("arrays nested deep", `${"[".repeat(depth)}1${"]".repeat(depth)}`),
  row(
    "many arrays and objects beside each other",
    Array.from({ length: manyElements }, (_, index) => (index % 2 === 0 ? [] : {})),
  ),
  // Brackets within a string nest nothing. An escaped quote does not end it; a quote after an escaped backslash does.
  row("texts of many brackets", [`"${"[{".repeat(manyElements)}`, "\\", "[{".repeat(manyElements)]),
  row("a long string", "x".repeat(longCharacters)),
  row("a long string of wide characters", "é😀".repeat(longCharacters / 8)),
  row(
    "a long array",
    Array.from({ length: longArrayElements }, (_, index) => index),
  ),
  row(
    "many keys",
    Object.fromEntries(Array.from({ length: manyElements }, (_, index) => [`key ${index}`, index])),
  ),
];

function row(label: string, value: unknown): InputRow {
  return { label, text: JSON.stringify(value) };
}

function written(label: string, text: string): InputRow {
  return { label, text };
}
