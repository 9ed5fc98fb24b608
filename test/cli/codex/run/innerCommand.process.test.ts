/**
 * The command that Codex shows → the one its shell runs: as recorded, as generated, and as a real shell reads the same
 * words.
 */
import { spawnSync } from "node:child_process"
import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { expect } from "vitest"
import { innerCommand } from "../../../../src/cli/codex/run/innerCommand.ts"
import { joined } from "./shlex.ts"

const certain = (text: string) => ({ text, isCertain: true })
const uncertain = (text: string) => ({ text, isCertain: false })

/** As Codex 0.169.0 printed them. */
const recorded = [
  [`/bin/bash -lc ": 'q' \\""'$HOME"; echo '"'x' "'$none'`, `: 'q' "$HOME"; echo 'x' $none`],
  [`/bin/bash -lc 'echo a''^b ''^c '"'d' "'!e \`f\` '"\\\\n ünï"`, `echo a^b ^c 'd' !e \`f\` \\n ünï`],
  [`/bin/bash -lc "echo 'a\nb' \\""'$X" \u0001 \u00a0'`, `echo 'a\nb' "$X" \u0001 \u00a0`],
  ["/bin/sh -lc 'echo hi'", "echo hi"],
  ["/usr/bin/sh -c 'echo hi'", "echo hi"],
  ["/bin/bash -lc ls", "ls"],
  ["/bin/bash -lc ''", ""]
] as const

describe("a command in its shell", () => {
  it.each(recorded)("%j is read", (visible, text) => {
    expect(innerCommand(visible)).toEqual(certain(text))
    expect(visible.endsWith(joined([text]))).toBe(true)
  })

  it.each([
    ...["/tmp/evil/not-a-shell.sh -c 'echo hi'", "/tmp/bash -lc 'echo hi'", "bash -lc 'echo hi'", "./sh -c ls", "sh"],
    ...["/bin/bash", "/bin/bash -lc", "/bin/bash -lc ls more", "/bin/bash -x -lc ls", "/bin/bash -ic ls", "/bin/sh ls"],
    ...["/bin/bash -lc 'ls", '/bin/bash -lc "ls', "/bin/bash  -lc ls", "/bin/bash -lc ls ", " /bin/bash -lc ls", ""],
    ...["/bin/bash -lc $x", "/bin/bash -lc a\\ b", '/bin/bash -lc "$x"', '/bin/bash -lc "\\x"', "/bin/bash -lc a;b"],
    ...["/bin/bash -lc\tls", "/bin/bash\n-lc ls", "/bin/bash -lc 'a'\n", "/bin/bash -lc *", "/bin/bash -lc ~"],
    ...[
      "<command included NUL byte>",
      "git status",
      "/bin/../tmp/bash -lc ls",
      "/bin/bash/ -lc ls",
      "/usr/bin/python3 -c 1"
    ]
  ])("%j is uncertain", (visible) => expect(innerCommand(visible)).toEqual(uncertain(visible)))

  it("of any length is read in no time", () => {
    const text = `it's "$HOME" \\`.repeat(100_000)
    expect(innerCommand(joined(["/bin/bash", "-lc", text]))).toEqual(certain(text))
    const broken = `/bin/bash -lc "${"a\\\\".repeat(500_000)}`
    expect(innerCommand(broken)).toEqual(uncertain(broken))
  })
})

const Token = Schema.Literals([
  ...([
    "'",
    '"',
    "\\",
    "$",
    "`",
    "!",
    "^",
    " ",
    "\n",
    "\t",
    ";",
    "&",
    "rm",
    "a",
    "-",
    "]",
    "=",
    "~",
    "#",
    "*",
    "{",
    "ü"
  ] as const),
  ...(["🙂", "\u00a0", "\u0001", "''", `'"'"'`, "$(x)", "\\'", '\\"', "/bin/bash -lc "] as const)
])
const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Token), { maxLength: 12 }), (tokens) => tokens.join(""))
const AnyText = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[^\0]*$/)))

describe.each(["/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/zsh"])("quoted for %s", (shell) => {
  it.prop(
    "any text comes back",
    [Text, AnyText, Arbitrary.schema(Schema.Literals(["-lc", "-c"]))],
    ([a, b, option]) => {
      for (const text of [a, b.isWellFormed() ? b : ""]) {
        expect(innerCommand(joined([shell, option, text]))).toEqual(certain(text))
      }
    }
  )
})

/** The words that bash makes of each line; it splits, unquotes and runs nothing but `printf`. */
const wordsInBash = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const script = lines.map((line) => `printf '%s\\1' ${line}; printf '\\2'`).join("\n")
  const { stdout } = spawnSync("bash", ["--norc"], { input: script, encoding: "utf8", env: {}, maxBuffer: 1 << 26 })
  return stdout.split("\u0002").slice(0, -1)
}

describe("a real shell", () => {
  it.prop(
    "reads the same words from a certain command, however it is quoted",
    [
      Arbitrary.array(
        Arbitrary.map(Arbitrary.all([Text, Text]), (pair) => pair),
        { minLength: 20, maxLength: 60 }
      )
    ],
    ([pairs]) => {
      const usable = (text: string) => !text.includes("\u0001")
      const visible = pairs.flatMap(([text, tail]) => [
        joined(["/bin/bash", "-lc", text]),
        `/bin/bash -lc ${text}${tail}`
      ])
      const read = visible
        .map((line) => ({ line, ...innerCommand(line) }))
        .filter(({ isCertain, line }) => isCertain && usable(line))
      const words = wordsInBash(read.map(({ line }) => line))
      expect(words).toEqual(read.map(({ text }) => `/bin/bash\u0001-lc\u0001${text}\u0001`))
    },
    { arbitrary: { runs: 30 } }
  )
})
