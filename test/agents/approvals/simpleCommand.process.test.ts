/** No operator gets through to a rule that allows: as generated, and as a real shell sees it. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { expect, it } from "vitest"
import { commandsIn } from "../../../src/agents/approvals/commandsIn.ts"
import { simpleCommand } from "../../../src/agents/approvals/simpleCommand.ts"

const Operator = Arbitrary.schema(
  Schema.Literals([
    ";",
    "&",
    "&&",
    "|",
    "||",
    "\n",
    "\r",
    ">",
    ">>",
    "<",
    "<<<",
    "`x`",
    "$(x)",
    "(",
    ")",
    `\${x}`,
    "\0"
  ])
)
const Plain = Arbitrary.array(
  Arbitrary.schema(
    Schema.Literals(["a", "-b", "'c d'", '"e f"', "g=h", "\\;", "'a;b'", '"x|y"', "ünï", "🙂", "$HOME"])
  ),
  { minLength: 1, maxLength: 5 }
)

effectIt.prop("words and quotes are one command", [Plain], ([words]) => {
  expect(simpleCommand(`git ${words.join(" ")}`)?.text).toBe(`git ${words.join(" ")}`)
})

effectIt.prop(
  "an operator between words does not count, with and without blanks",
  [Plain, Operator, Plain, Arbitrary.schema(Schema.Boolean)],
  ([before, operator, after, isTight]) => {
    const blank = isTight ? "" : " "
    expect(simpleCommand(`git ${before.join(" ")}${blank}${operator}${blank}${after.join(" ")}`)).toBeUndefined()
  }
)

effectIt.prop("any text is read to its end", [Arbitrary.schema(Schema.String)], ([text]) => {
  expect(simpleCommand(text)?.text.length ?? 0).toBeLessThanOrEqual(text.length)
  expect(commandsIn(text)).toBeInstanceOf(Array)
})

it("long texts are read, too", () => {
  const words = "a 'b' \"c\" ".repeat(50_000)
  expect(simpleCommand(words)?.text).toBe(words.trimEnd())
  expect(simpleCommand(`git ${"x".repeat(1_000_000)};`)).toBeUndefined()
  expect(commandsIn(`${"$(".repeat(20_000)}git push`).some(({ text }) => text === "git push")).toBe(true)
})

const tokens = [
  ...[
    "git",
    "canary",
    "canary",
    " ",
    " ",
    " ",
    "a",
    "'",
    "'",
    '"',
    '"',
    "\\",
    ";",
    "&",
    "|",
    "\n",
    "`",
    "$(",
    ")",
    "("
  ],
  ...[
    "<",
    ">",
    "$",
    "$'",
    `\${`,
    "}",
    "#",
    "{",
    "!",
    "A=1",
    "\t",
    "\r",
    "=",
    "[",
    "]",
    "~",
    "*",
    "then",
    "<<",
    "\u00a0",
    "$A"
  ]
]

/** Many texts of such tokens that are said to be one command, the same in each run. */
const accepted = (): ReadonlyArray<string> => {
  const texts = new Set<string>()
  let seed = 1
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let count = 0; count < 30_000; count++) {
    const length = 1 + next(12)
    const text = `git ${Array.from({ length }, () => tokens[next(tokens.length)]).join("")}`
    if (simpleCommand(text) !== undefined) texts.add(text)
  }
  return [...texts]
}

it("a shell runs nothing else with what is said to be one command", () => {
  const texts = accepted()
  expect(texts.length).toBeGreaterThan(700)
  const directory = mkdtempSync(join(tmpdir(), "reins-simple-"))
  try {
    const run = (script: string) => `( eval "$(cat <<'REINS_END'\n${script}\nREINS_END\n)" ) </dev/null >/dev/null 2>&1`
    const hits = join(directory, "hits")
    const lines = [...texts, "git a; canary"].map((text, index) => `k=${index}\n${run(text)}`)
    const functions = `canary() { echo $k >&9; }\ngit() { :; }\ncd '${directory}'\nexec 9>'${hits}'\n`
    writeFileSync(join(directory, "script"), functions + lines.join("\n"))
    spawnSync("sh", [join(directory, "script")], { env: { PATH: process.env["PATH"] } })
    const indices = readFileSync(hits, "utf8").split("\n").filter(Boolean)
    // The last, which is not said to be one, shows that the rest was seen.
    expect(indices.map((index) => texts[Number(index)] ?? "the control")).toEqual(["the control"])
  } finally {
    rmSync(directory, { recursive: true })
  }
})
