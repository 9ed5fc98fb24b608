/**
 * What is packed for users works in a project of theirs: outside the repository, by the package's name, for both ways in
 * which TypeScript resolves it. What it runs are the examples of the test kit, those of live sessions, and a
 * CLI of one's own.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { bin, compile, compileAlone, project, remove, resolutions, root, temporary } from "./project.ts"

afterAll(remove)

const tsc = join(root, "node_modules/typescript/bin/tsc")

/** What they print; `realCli.ts` needs a real one. */
const printed: Readonly<Record<string, string>> = {
  "plain.ts": "I look. There is a.txt.\n[ 'what is here?' ]\n",
  "effect.ts": "[ 'Hello!', true ]\n",
  "failure.ts": 'rate_limit RESOURCE_EXHAUSTED "So far "\ntimeout timeout_tool ""\n',
  "onPath.ts": "Looks good.\n{ code: 97 }\n",
  "live.ts": "asks for rm -r build\ncompleted It is cleared.\nfailed \n",
  "replay.ts": "none One. Two.\nrecorded One. Two.\n",
  "testRuntime.ts": "Gladly.\n",
  "testAgent.ts": "[ 'Read' ] The file says hello.\n",
  "arbitraries.ts": "session tool_use text tool_result done\n",
  "modelServer.ts": [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"scripted 429"}}',
    "[ { type: 'text', text: 'Hello from a script.' } ]",
    "[ '1: one', '2: two' ]\n"
  ].join("\n"),
  "sessionPlain.ts": [
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "$ node --version\ndescription: Show the version of Node.js true false\ncompleted",
    "claude Aborted\n"
  ].join("\n"),
  "sessionEffect.ts": "deny rule No node here.\n",
  "gateOfTurns.ts": "The turn waits: 2 turns go on\n",
  "tokenCounter.ts": "{ claude: 30 }\n",
  "useTern.ts": "You said: hello tern-1\nallow rule\ncompleted It is done.\n"
}

describe("a project that has installed the package", () => {
  it.each(resolutions)("compiles strictly, with declarations, with module %s, resolved by %s", (module, resolution) => {
    assert.deepStrictEqual(compile(tsc, module, resolution), { stdout: "", status: 0 })
  })

  it("needs neither Effect nor the types of Node for the plain door and its test kit", () => {
    assert.deepStrictEqual(compileAlone(tsc), { stdout: "", status: 0 })
  })

  it.each(Object.entries(printed))("runs %s", (name, expected) => {
    const env = { ...process.env, TMPDIR: temporary, PATH: `${bin}${delimiter}${process.env["PATH"]}` }
    const stdout = execFileSync(process.execPath, [join(project, name)], { encoding: "utf8", env })
    assert.strictEqual(stdout, expected)
    assert.isAtMost(readFileSync(join(project, name), "utf8").trimEnd().split("\n").length, 26)
  })

  it("has one host where both doors are loaded, and values cross between them", () => {
    const facts = JSON.parse(execFileSync(process.execPath, [join(project, "bothDoors.ts")], { encoding: "utf8" }))
    assert.deepStrictEqual(facts, {
      errors: [[true, true, false], [true, true, false], ...Array(3).fill([false, false, false])],
      reasons: [true, false],
      reasonOfPlain: true,
      refused: [true, true],
      output: [true, 3],
      problem: [{ path: "/files", message: "Expected string" }],
      secrets: ["a secret of Effect", "a plain secret", false],
      secretOfPlain: "a plain secret",
      budgetMs: 300,
      decisions: ["allow"],
      limits: ["The start waits: 1 run is running (limits.total)"],
      order: ["The start waits: another run uses the session"],
      hosts: 1,
      ...(process.platform === "linux" ? { reapers: 1 } : {})
    })
  })

  it("works with another effect than the one beside it, and names both where a value needs its own", () => {
    const facts = JSON.parse(
      execFileSync(process.execPath, [join(project, "apart/twoCopies.ts")], { encoding: "utf8" })
    )
    const { run, caught, wire, ...named } = facts
    assert.deepStrictEqual({ run, caught }, { run: ["done", 1], caught: true })
    const texts = [wire, ...Object.values(named).flat()]
    assert.lengthOf(texts, 5)
    for (const text of texts) {
      assert.match(
        text,
        /is of effect 4\.0\.0 in \S+apart\/node_modules\/effect, and beside reins is effect 4\.1\.0 in \S+effect: /
      )
      assert.include(text, "let the application have one copy")
    }
    assert.deepStrictEqual(Object.keys(named).sort(), ["redacted", "schema"])
  })

  it("finds no fake left behind", () => {
    assert.deepStrictEqual(
      readdirSync(temporary).filter((name) => name.startsWith("reins-")),
      []
    )
  })
})
