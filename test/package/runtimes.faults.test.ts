/**
 * The packed package on other runtimes than the Node it is made for: an older Node, Bun and Deno, which are installed here.
 * What is not equal to what Node prints is named below.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { installed, versions } from "./installed.ts"
import { printed } from "./printed.ts"
import { alone, remove, root, temporary } from "./project.ts"

afterAll(remove)

/** JavaScript without what only newer versions read. */
const compiled = join(alone, "compiled")
const examples = ["plain", "failure", "live", "replay", "testAgent", "modelServer", "sessionPlain"]
const tsc = join(root, "node_modules/typescript/bin/tsc")
const form = ["--target", "es2022", "--module", "nodenext", "--noCheck", "--ignoreConfig", "--outDir", compiled]
execFileSync(process.execPath, [tsc, ...form, ...examples.map((name) => `${name}.ts`)], { cwd: alone })
writeFileSync(join(compiled, "package.json"), JSON.stringify({ type: "module" }))

const { NODE_COMPILE_CACHE: _, NODE_OPTIONS: __, ...inherited } = process.env
const env = {
  ...inherited,
  TMPDIR: temporary,
  XDG_STATE_HOME: temporary,
  XDG_CACHE_HOME: temporary,
  REINS_DEMO_PACE_MS: "0",
  NO_COLOR: "1"
}

interface Runtime {
  readonly name: keyof typeof versions
  readonly args: ReadonlyArray<string>
  /** Unsupported features, with their sentences. */
  readonly unable: Readonly<Record<string, RegExp>>
  /** The first line of the program. */
  readonly warning: string
}

const runtimes: ReadonlyArray<Runtime> = [
  { name: "bun", args: [], unable: {}, warning: "" },
  { name: "deno", args: ["run", "--allow-all"], unable: {}, warning: "" },
  {
    name: "node",
    args: [],
    unable: { modelServer: /a ModelServer needs Node\.js 22\.19 or newer/ },
    warning: `reins: Node.js v${versions.node} is too old: some things fail before 22.19\n`
  }
]

/** As they are shown, strings and lists differ. */
const plain = (text: string) =>
  text
    .replace(/\s+/g, "")
    .replaceAll("'", '"')
    .replace(/,([}\]])/g, "$1")

describe.each(runtimes)("$name", ({ name, args, unable, warning }) => {
  const command = installed(name)
  const isThere = command !== undefined
  const run = (file: string, ...rest: ReadonlyArray<string>) => {
    const options = { encoding: "utf8", cwd: alone, env, timeout: 60_000 } as const
    const { stdout, stderr, status } = spawnSync(command ?? "", [...args, file, ...rest], options)
    return { stdout, stderr, status }
  }
  const program = join(alone, "node_modules/reins/dist/program.js")

  it.skipIf(!isThere).each(examples)("runs %s, or says why not", (example) => {
    const { stdout, stderr } = run(join(compiled, `${example}.js`))
    const problem = unable[example]
    if (problem !== undefined) return assert.match(stderr, problem)
    assert.strictEqual(plain(stdout), plain(printed[`${example}.ts`] ?? "?"), stderr)
  })

  it.skipIf(!isThere)("runs the program", () => {
    assert.match(run(program, "demo").stdout, /✓ completed/)
    const { stdout, stderr } = run(program, "--version")
    assert.match(stdout, /^reins v\d/)
    assert.strictEqual(stderr, warning)
  })

  it.skipIf(!isThere)("leaves no fake behind", () => {
    assert.deepStrictEqual(
      readdirSync(temporary).filter((file) => file.startsWith("reins-fake-")),
      []
    )
  })
})
