/**
 * The packed package works in a project of theirs: outside the repository, by the package's name, for both ways in
 * which TypeScript resolves it. What it runs are the examples of the test kit, those of live sessions, and a
 * CLI of one's own.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "vitest"
import { printed } from "./printed.ts"
import {
  alone,
  bin,
  compile,
  compileAlone,
  compileCommonJs,
  project,
  remove,
  resolutions,
  root,
  temporary
} from "./project.ts"

afterAll(remove)

const runFile = promisify(execFile)
const tsc = join(root, "node_modules/typescript/bin/tsc")

/** Not the cache of the tests: the program makes its own. */
const { NODE_COMPILE_CACHE, ...inherited } = process.env
const env = {
  ...inherited,
  PATH: `${bin}${delimiter}${process.env["PATH"]}`,
  TMPDIR: temporary,
  XDG_CACHE_HOME: temporary,
  REINS_DEMO_PACE_MS: "0"
}

describe("a project that has installed the package", () => {
  it.each(resolutions)("compiles strictly, with declarations, with module %s, resolved by %s", (module, resolution) => {
    assert.deepStrictEqual(compile(tsc, module, resolution), { stdout: "", status: 0 })
  })

  it("needs neither Effect nor the types of Node for the plain door and its test kit", () => {
    assert.deepStrictEqual(compileAlone(tsc), { stdout: "", status: 0 })
  })

  it.concurrent.each(Object.entries(printed))("runs %s", async (name, expected) => {
    const text = readFileSync(join(project, name), "utf8")
    const folder = /from "(?:effect|reins|reins\/testing\/effect)"/.test(text) ? project : alone
    const { stdout } = await runFile(process.execPath, [join(folder, name)], { env: { ...env, NODE_COMPILE_CACHE } })
    assert.strictEqual(stdout, expected)
    assert.isAtMost(text.trimEnd().split("\n").length, 26)
  })

  it.concurrent("has one host where both doors are loaded, and values cross between them", async () => {
    const facts = JSON.parse((await runFile(process.execPath, [join(project, "bothDoors.ts")])).stdout)
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

describe("a project that has installed nothing but the package", () => {
  const run = (command: string, ...args: ReadonlyArray<string>) => {
    const { stdout, stderr, status } = spawnSync(command, args, { encoding: "utf8", cwd: alone, env })
    return { stdout, stderr, status }
  }
  const reins = (...args: ReadonlyArray<string>) => run(join(alone, "node_modules/.bin/reins"), ...args)

  it("has one package, with its licences", () => {
    assert.deepStrictEqual(readdirSync(join(alone, "node_modules")).sort(), [".bin", ".package-lock.json", "reins"])
    assert.isTrue(existsSync(join(alone, "node_modules/reins/dist/LICENSES.txt")))
  })

  it("runs the program", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.deepStrictEqual(reins("--version"), { stdout: `reins v${version}\n`, stderr: "", status: 0 })
    assert.match(reins("demo").stdout, /✓ completed/)
    assert.include(JSON.parse(reins("schema").stdout).$schema, "json-schema")
    assert.match(reins("doctor", "--agent", "claude").stdout, /✓ node/)
  })

  it("requires the plain doors from CommonJS", () => {
    const names = ["reins/promise", "reins/testing", "reins/ai-sdk"] // the last without `ai`, which it loads when it is used
    const script = `for (const door of ${JSON.stringify(names)}) console.log(Object.keys(require(door)).length > 1)`
    assert.deepStrictEqual(run(process.execPath, "-e", script), {
      stdout: "true\ntrue\ntrue\n",
      stderr: "",
      status: 0
    })
  })

  it.each([
    ["nodenext", ""],
    ["node20", ""],
    ["commonjs", ""],
    ["node16", "TS1479"]
  ])("requires it from a file that TypeScript makes CommonJS of, with module %s", (module, problem) => {
    const { stdout } = compileCommonJs(tsc, module)
    if (problem !== "") return assert.include(stdout, problem)
    assert.strictEqual(stdout, "")
    const { stdout: printed } = run(process.execPath, join(alone, "commonjs/main.cjs"))
    assert.strictEqual(printed, "You said hello. function\n")
  })

  it.each(["reins", "reins/testing/effect"])("is told by Node what %s needs", (door) => {
    const { stderr, status } = run(process.execPath, "--input-type=module", "-e", `import ${JSON.stringify(door)}`)
    assert.match(stderr, /Cannot find package '(?:@effect\/platform-node|effect)' imported from .*\/dist\/effect-/)
    assert.strictEqual(status, 1)
  })
})
