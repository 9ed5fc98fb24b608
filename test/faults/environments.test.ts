/**
 * A run in any environment, or in two at once, by any door and runtime, with a CLI that answers, crashes, hangs, asks for
 * nothing or prints rubbish: exactly one `done`, last, or a refusal with exit code 2 that says what to do.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { rolldown } from "rolldown"
import { afterAll } from "vitest"
import { programPath } from "../kit/agent.ts"
import { installed } from "../package/installed.ts"
import { type Ended, type EnvironmentName, environments, runIn, together } from "./kit/environments.ts"

const main = fileURLToPath(new URL("../../dist/program.js", import.meta.url))
const host = fileURLToPath(new URL("hosts/environmentHost.ts", import.meta.url))
const cache = fileURLToPath(new URL("../../.cache/", import.meta.url))

mkdirSync(cache, { recursive: true })
/** Inside the repository, where a bundle is made of `reins`. */
const directory = realpathSync(mkdtempSync(join(cache, "environments-")))
chmodSync(directory, 0o755)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const agentOf = (name: string, ...args: ReadonlyArray<string>) => {
  const file = join(directory, name)
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${programPath(name)}' ${args.join(" ")}\n`)
  chmodSync(file, 0o755)
  return file
}

const agents = {
  answers: agentOf("speaks"),
  crashes: agentOf("exits-1"),
  hangs: agentOf("forever"),
  "asks for nothing": agentOf("exits-before-reading-stdin"),
  "prints rubbish": agentOf("dirty-stdout")
}

const bundle = join(directory, "bundle/host.mjs")
const bundled = await rolldown({ input: host, platform: "node", logLevel: "silent" })
await bundled.write({
  dir: join(bundle, ".."),
  format: "esm",
  entryFileNames: "host.mjs",
  chunkFileNames: "[hash].mjs"
})

/** The least number of open files with which a program starts at all: with less, it is its runtime that fails. */
const fewestOf = (args: ReadonlyArray<string>, from: number): number => {
  const words = ["-c", `ulimit -n ${from} && exec "$@"`, "sh", process.execPath, ...args]
  const { status } = spawnSync("/bin/sh", words)
  assert.isBelow(from, 200, "it starts with no number of open files")
  return status === 0 ? from : fewestOf(args, from + 1)
}

/** A module that imports another one: the least that Node needs files for. */
const importing = join(directory, "importing.mjs")
writeFileSync(importing, 'await import("./imported.mjs")\n')
writeFileSync(join(directory, "imported.mjs"), "")
const fewestOfNode = fewestOf([importing], 12)

interface Door {
  readonly runtime: string
  readonly fewest?: number
  /** Parts of environments in which the runtime itself does not start, or which it does not have. */
  readonly without?: ReadonlyArray<string>
  readonly args: (agent: string, limitMs: number) => ReadonlyArray<string>
  readonly isProgram?: true
  readonly variables?: Readonly<Record<string, string>>
}

const runArgs = (agent: string, limitMs: number) => {
  const flags = ["--json", "--timeout", `${limitMs}ms`, "--kill-grace", "200ms"]
  return [main, "run", ...flags, "--command", agent, "hello"]
}
const hostArgs = (agent: string, limitMs: number) => [host, "here", agent, String(limitMs)]

/** Deno does not start without a directory for it, which is in the home. */
const cacheOfDeno = join(directory, "deno")
mkdirSync(cacheOfDeno)
chmodSync(cacheOfDeno, 0o777)

const onOthers = (): Readonly<Record<string, Door>> => {
  const all = [
    { name: "Bun", runtime: installed("bun"), first: [], variables: {}, without: ["heap", "descriptors"] },
    {
      name: "Deno",
      runtime: installed("deno"),
      first: ["run", "--allow-all"],
      variables: { DENO_DIR: cacheOfDeno },
      without: ["heap", "descriptors", "directory"]
    }
  ]
  const doors = all.flatMap(({ name, runtime, first, ...others }) => {
    if (runtime === undefined) return []
    const shared = { runtime, ...others }
    return [
      [
        `the program on ${name}`,
        { ...shared, args: (...run: Parameters<Door["args"]>) => [...first, ...runArgs(...run)], isProgram: true }
      ],
      [
        `the library on ${name}`,
        { ...shared, args: (...run: Parameters<Door["args"]>) => [...first, ...hostArgs(...run)] }
      ]
    ] as const
  })
  return Object.fromEntries(doors)
}

const runtime = process.execPath
const hosted = (...words: ReadonlyArray<string>): Door => ({
  runtime,
  fewest: fewestOf(words, fewestOfNode),
  args: (agent, limitMs) => [...words, agent, String(limitMs)]
})

const doors = {
  "the program": {
    runtime,
    fewest: fewestOfNode,
    args: (...run) => ["--disable-warning=ExperimentalWarning", ...runArgs(...run)],
    isProgram: true
  },
  "the library": hosted(host, "here"),
  "the library in a worker thread": { ...hosted(host, "worker"), without: ["directory"] },
  "the library under fake timers": hosted(host, "fakeTimers"),
  "the library in a bundle": hosted(bundle, "here"),
  ...onOthers()
} satisfies Readonly<Record<string, Door>>

const codes: Readonly<Record<string, ReadonlyArray<number>>> = { completed: [0], failed: [1, 2], timed_out: [124] }

/** Says what to do. */
const cure = /\b(change|set|see|make|free|give|use|raise|name|correct)\b/

const check = (names: ReadonlyArray<EnvironmentName>, door: Door, { code, signal, stdout, stderr, left }: Ended) => {
  const all = `${String(code)} ${String(signal)}\n${stdout}\n${stderr}`
  assert.isNull(signal, all)
  assert.deepStrictEqual(left, [], all)
  assert.notMatch(stdout + stderr, /internal error|^ {4}at /m)
  assert.include(door.isProgram === true ? [0, 1, 2, 124] : [0], code, all)
  const isClosed = (stream: string) => names.some((name) => name.startsWith("closed") && name.includes(stream))
  if (isClosed("stdout")) return assert.strictEqual(stdout, "")
  if (code === 2 && stdout === "") return isClosed("stderr") ? undefined : assert.match(stderr, cure)
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  assert.strictEqual(events.filter(({ type }) => type === "done").length, 1, all)
  const { type, result } = events.at(-1)
  assert.strictEqual(type, "done", all)
  if (door.isProgram === true)
    assert.isTrue(
      codes[result.outcome]?.some((one) => one === code),
      all
    )
  if (result.outcome !== "completed") assert.isNotEmpty(events.find((event) => event.type === "error")?.help, all)
}

const attempt = (names: ReadonlyArray<EnvironmentName>, door: Door, agent: string, free: number) =>
  Effect.gen(function* () {
    const { fewest = 0, without = [], args, ...shared } = door
    const some = together(names, without)
    const limitMs = agent === agents.hangs ? 800 : 30_000
    const ended = yield* runIn(some, { ...shared, args: args(agent, limitMs), descriptors: fewest + free })
    check(some, door, ended)
    return ended
  })

/** With these a run completes. */
const enough = 14

const of = <A>(all: Readonly<Record<string, A>>, name: string): A => all[name] ?? assert.fail(name)

const outcomeOf = ({ stdout }: Ended): string => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").result.outcome

describe("in any environment", () => {
  it.live.each(environments)("%s, a run that answers, by the program and by the library", (name) =>
    Effect.gen(function* () {
      const [program, library] = yield* Effect.all(
        [
          attempt([name], doors["the program"], agents.answers, enough),
          attempt([name], doors["the library"], agents.answers, enough)
        ],
        { concurrency: 2 }
      )
      const isGone = name === "deleted working directory"
      assert.strictEqual(program.code, isGone ? 2 : 0)
      if (library.stdout !== "") assert.strictEqual(outcomeOf(library), isGone ? "failed" : "completed")
    })
  )

  it.live.each(Object.keys(doors))("a run that answers, by %s", (name) =>
    Effect.map(attempt([], of<Door>(doors, name), agents.answers, enough), (ended) =>
      assert.strictEqual(outcomeOf(ended), "completed")
    )
  )

  it.live("few descriptors, any number with which Node starts, by the program", () =>
    Effect.forEach(
      Array.from({ length: enough }, (_, free) => free),
      (free) => attempt(["few descriptors"], doors["the program"], agents.answers, free),
      { concurrency: 2 }
    )
  )

  it.live.prop(
    "or two at once, by any door, whatever the CLI does: exactly one done, or exit code 2 with a cure",
    {
      names: Schema.Array(Schema.Literals(environments)).check(Schema.isBetweenLength(0, 2)),
      door: Schema.Literals(Object.keys(doors)),
      agent: Schema.Literals(Object.keys(agents)),
      free: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: enough }))
    },
    ({ names, door, agent, free }) => attempt(names, of<Door>(doors, door), of(agents, agent), free),
    { timeout: 240_000, arbitrary: { runs: 24, concurrency: 2, maxShrinks: 4 } }
  )
})
