/** Texts with which a target may try to break a report. Each has broken some report writer somewhere. */
export const hostileTexts: readonly string[] = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  '"><img src=x onerror=alert(1)>',
  "'--></style><svg/onload=alert(1)>",
  "]]>",
  "a\u0000b\u0007c\u001B[31m\u0085",
  "\u{D800}",
  "x\u{DC00}y",
  "\u{FFFE}\u{FFFF}",
  "\u{202E}drowssap\u{2066}",
  "| a | b |\n| - | - |\n# heading\n- item\n```\n~~~",
  "[link](javascript:alert(1)) ![image](http://127.0.0.1/x) <b>bold</b> `code` *em* _em_ @team $x$",
  "&lt;&amp;&#0;",
  "\r\n\t \u{2028}\u{2029}",
  "\\",
  "`",
];

/** All of them in one text that is longer than any format should carry whole. */
export const hostileMegabyte = hostileTexts.join(" ").repeat(2500);
