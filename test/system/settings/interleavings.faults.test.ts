/** Several runs in one directory, in any order: each has its own servers while it holds them, the user's file comes back. */
import { assert, layer } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { modeOf } from "../../kit/files.ts"
import { hasRoom, settings } from "./generate.ts"
import {
  assertAsBefore,
  assertHas,
  type Before,
  type Held,
  inWorkspace,
  makeProcesses,
  runOf,
  take
} from "./workspace.ts"

const file: Arbitrary.Arbitrary<Before> = Arbitrary.map(
  Arbitrary.all({
    settings: Arbitrary.filter(settings, (input) => hasRoom(input, ["servers", "other"])),
    kind: Arbitrary.schema(Schema.Literals(["file", "file", "file", "no file", "no directory"])),
    mode: Arbitrary.schema(Schema.Literals([0o600, 0o640, 0o644, 0o664, 0o400]))
  }),
  ({ settings, kind, mode }) => {
    if (kind === "no file") return { text: undefined }
    return kind === "file" ? { text: settings.text, mode } : { text: null }
  }
)

const Step = Schema.Struct({
  run: Schema.Literals([0, 1, 2]),
  /** By the scope, or before it. */
  early: Schema.Boolean
})
/** How many processes the runs are spread over. */
const processCount = Arbitrary.schema(Schema.Literals([1, 2, 3]))
const steps = Arbitrary.array(Arbitrary.schema(Step), { maxLength: 10 })

layer(Layer.empty)("runs that come and go one after the other", (it) => {
  it.effect.prop(
    "each has its servers as long as it holds them, and the last one leaves the user's file",
    [file, steps, processCount],
    ([before, order, count]) =>
      inWorkspace(before, (input) =>
        Effect.gen(function* () {
          const processes = makeProcesses()
          const hosts = [processes.start(), processes.start(), processes.start()]
          const held = new Map<number, Held>()
          const started: Array<Held> = []
          for (const { run, early } of order) {
            const lease = held.get(run)
            if (lease === undefined) {
              const host = hosts[run % count] ?? processes.start()
              const taken = yield* take(input, host, runOf(run).patch, { secret: runOf(run).secret })
              held.set(run, taken)
              started.push(taken)
            } else {
              held.delete(run)
              yield* early ? lease.release : lease.end
            }
            for (const index of held.keys()) assertHas(input, runOf(index).patch)
            if (held.has(1)) assert.strictEqual(modeOf(input.file), 0o600)
            if (held.size === 0) assertAsBefore(input)
          }
          for (const lease of started) yield* lease.end
          assertAsBefore(input)
        })
      ),
    { arbitrary: { runs: 100 } }
  )
})

layer(Layer.empty, { excludeTestServices: true })("runs that come and go at once", (it) => {
  it.effect.prop(
    "no order of their steps loses anything",
    [file, processCount],
    ([before, count]) =>
      inWorkspace(before, (input) =>
        Effect.gen(function* () {
          const processes = makeProcesses()
          const hosts = Array.from({ length: count }, () => processes.start())
          const visit = (index: number) =>
            Effect.gen(function* () {
              const host = hosts[index % count] ?? processes.start()
              const { patch, secret } = runOf(index)
              const lease = yield* take(input, host, patch, { secret })
              assertHas(input, patch)
              yield* index % 2 === 0 ? lease.release : lease.end
            })
          yield* Effect.forEach([0, 1, 2, 0, 1, 2], visit, { concurrency: "unbounded" })
          assertAsBefore(input)
        })
      ),
    { arbitrary: { runs: 20 } }
  )
})
