import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { type CliId, clis, InvalidParams, parseResumeLine, resumeLine } from "reins"

const cliIds = Object.keys(clis) as ReadonlyArray<CliId>
const AnyCli = Schema.Literals(cliIds)
/** Possible names of a CLI's session: printable, without characters that a line cannot have. */
const AnyId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_.:~%+=@][A-Za-z0-9_.:~%+=@#/,äπ漢-]{0,127}$/))

it.prop("the line is read back", { cli: AnyCli, sessionId: AnyId }, ({ cli, sessionId }) => {
  expect(parseResumeLine(resumeLine({ cli, sessionId }))).toEqual({ cli, sessionId })
})

it.prop("…in any surroundings", { cli: AnyCli, sessionId: AnyId, before: Schema.String }, (input) => {
  const { cli, sessionId, before } = input
  expect(parseResumeLine(`${before}\n> ↩️ ${resumeLine({ cli, sessionId })}\r\nThanks!`)).toEqual({ cli, sessionId })
})

it.prop("any text is read without an error", [Schema.String], ([text]) => {
  for (const hostile of [text, `claude --resume ${text}`, `\`codex resume ${text}\``, `${text}gemini -r x`]) {
    const found = parseResumeLine(hostile)
    if (found !== undefined) expect(parseResumeLine(resumeLine(found))).toEqual(found)
  }
})

const own: ReadonlyArray<readonly [CliId, string]> = [
  ["claude", "`claude --resume ID`"],
  ["gemini", "`gemini --resume ID`"],
  ["codex", "`codex resume ID`"],
  ["opencode", "`opencode --session ID`"],
  ["pi", "`pi --session ID`"]
]
it.each(own)("is %s's own command", (cli, line) => {
  expect(resumeLine({ cli, sessionId: "ID" })).toBe(line)
})

describe("is found", () => {
  it.each([
    ["claude --resume a-1", "claude", "a-1"],
    ["claude -r a-1", "claude", "a-1"],
    ["codex exec resume 019a", "codex", "019a"],
    ["gemini -r latest", "gemini", "latest"],
    ["opencode -s ses_1", "opencode", "ses_1"],
    ["opencode run --session ses_1", "opencode", "ses_1"],
    ["opencode run -s ses_1", "opencode", "ses_1"],
    ["  `claude   --resume\ta-1`  ", "claude", "a-1"],
    ["Claude --resume A-1", "claude", "A-1"],
    ["claude —resume a-1", "claude", "a-1"],
    ["> claude --resume a-1", "claude", "a-1"],
    ["> > ↩️ `claude --resume a-1`", "claude", "a-1"],
    ["▶️ 👩🏽‍💻 → -> codex resume 1", "codex", "1"],
    ["one\r\n```\r\ncodex resume 1\r\n```\r\ntwo", "codex", "1"],
    ["claude -r 1\ncodex resume 2\nbye", "codex", "2"]
  ])("%j", (text, cli, sessionId) => {
    expect(parseResumeLine(text)).toEqual({ cli, sessionId })
  })
})

it.each([
  "",
  "claude",
  "claude --resume",
  "claude --resume ",
  "claude --resume a b",
  "claude --resume a --resume b",
  "claude --resume a `codex resume b`",
  "please run claude --resume a",
  "claude --resume a please",
  "claude --resume=a",
  "claudette --resume a",
  "myclaude --resume a",
  "claude --resumes a",
  "claude --resume -x",
  "claude --resume -",
  "claude --resume $(id)",
  "claude --resume a;id",
  "claude --resume a|id",
  "claude --resume a&id",
  "claude --resume a>b",
  "claude --resume 'a'",
  'claude --resume "a"',
  "claude --resume a\\",
  "claude --resume a\u0000b",
  "claude --resume a\u001b[2J",
  "claude --resume a\u202eb",
  "claude --resume a\u200bb",
  "claude --resume a\ud800",
  `claude --resume ${"x".repeat(129)}`,
  "opencode resume a",
  "aider --resume a",
  "claude --resume\na"
])("is not found in %j", (text) => {
  expect(parseResumeLine(text)).toBeUndefined()
})

it.each([undefined, null, 1, {}, ["claude -r a"]])("is not found in %j, which is not a text", (text) => {
  expect(parseResumeLine(text as unknown as string)).toBeUndefined()
})

it("is found in long texts of any kind, without back-tracking", () => {
  const longest = 2 ** 18
  const kinds = [
    ">",
    "> ",
    "`",
    "↩️",
    "->",
    "-=",
    "claude ",
    "claude --resume ",
    "claude --resume a",
    "\n",
    " ",
    "\r",
    "x"
  ]
  const textOf = (kind: string, length: number) => kind.repeat(Math.ceil(length / kind.length))
  for (const kind of kinds) {
    const text = textOf(kind, longest)
    expect(parseResumeLine(text)).toBeUndefined()
    expect(parseResumeLine(`${text}\nclaude -r a\n${text}`)).toEqual({ cli: "claude", sessionId: "a" })
    // As lines of the greatest length that is looked at: each is matched by all patterns.
    expect(parseResumeLine(`${textOf(kind, 500)}\n`.repeat(500))).toBeUndefined()
  }
})

describe("is refused", () => {
  it.each(["aider", "Claude", "", "__proto__", "toString", "claud"])(
    "for the CLI %j, and the four are listed",
    (cli) => {
      const call = () => resumeLine({ cli, sessionId: "a" })
      expect(call).toThrow(InvalidParams)
      expect(call).toThrow(`${JSON.stringify(cli)} is not one of claude, gemini, codex, opencode, pi`)
    }
  )

  it.each(["", "-x", "a b", "a\nb", "`a`", "$a", "a\u001b", "x".repeat(129), "x".repeat(2 ** 20), undefined])(
    "for the id %j",
    (sessionId) => {
      const call = () => resumeLine({ cli: "claude", sessionId: sessionId as string })
      expect(call).toThrow(InvalidParams)
      expect(call).toThrow("sessionId: is not an id of 1 to 128 characters")
    }
  )
})
