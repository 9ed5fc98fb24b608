/** A process that dies at any of its steps, or in the middle of one: the next one finds what it left and puts it right. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { atEveryStep, live, type Story } from "./dying.ts"
import {
  assertAsBefore,
  assertHas,
  type Held,
  type Host,
  makeProcesses,
  recover,
  serverOf,
  take,
  type Workspace
} from "./workspace.ts"

const base = '{ // settings\n  "theme": "dark",\n  "servers": { "own": { "url": "x" } } }\n'

const takeAndEnd = (given: Workspace, host: Host) =>
  Effect.flatMap(take(given, host, serverOf("mine"), { secret: true }), ({ end }) => end)

const stories: ReadonlyArray<Story> = [
  { name: "a run on a file", before: { text: base, mode: 0o640 }, story: takeAndEnd },
  { name: "a run without a file", before: { text: undefined }, story: takeAndEnd },
  { name: "a run without a directory", before: { text: null }, story: takeAndEnd },
  {
    name: "two runs of one process",
    before: { text: base },
    story: (given, host) =>
      Effect.gen(function* () {
        const first = yield* take(given, host, serverOf("first"))
        const second = yield* take(given, host, serverOf("second"), { secret: true })
        yield* first.end
        yield* second.end
      })
  }
]

const fewest = 10

layer(Layer.empty)("a process dies at any step", (it) => {
  it.effect.each(stories)("of $name: recovery restores all", (story) =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      const count = yield* atEveryStep(story, processes, (given) =>
        Effect.gen(function* () {
          yield* recover(given, processes.start())
          assertAsBefore(given)
          const again = yield* recover(given, processes.start())
          assert.deepStrictEqual(again, { file: given.file, isRestored: false, activeRuns: 0, isPending: false })
        })
      )
      assert.isAbove(count, fewest)
    })
  )

  it.effect.each(stories)("of $name: the next run restores all", (story) =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      yield* atEveryStep(story, processes, (given) =>
        Effect.gen(function* () {
          const lease = yield* take(given, processes.start(), serverOf("next"))
          assertHas(given, serverOf("next"))
          yield* lease.end
          assertAsBefore(given)
        })
      )
    })
  )

  it.effect.each(stories)("of $name: another run goes on", (story) =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      let other: Held = { release: Effect.void, end: Effect.void }
      yield* atEveryStep(
        story,
        processes,
        (given) =>
          Effect.gen(function* () {
            assertHas(given, serverOf("other"))
            yield* recover(given, processes.start())
            assertHas(given, serverOf("other"))
            yield* other.end
            assertAsBefore(given)
          }),
        (given) =>
          Effect.gen(function* () {
            other = yield* take(given, processes.start(), serverOf("other"))
          })
      )
    })
  )

  it.effect.each([{ text: base, mode: 0o600 }, { text: undefined }, { text: null }])(
    "of a recovery: the next one restores all (%j)",
    (before) =>
      Effect.gen(function* () {
        const processes = makeProcesses()
        yield* atEveryStep(
          { before, story: recover },
          processes,
          (given) =>
            Effect.gen(function* () {
              yield* recover(given, processes.start())
              assertAsBefore(given)
            }),
          (given) =>
            Effect.gen(function* () {
              const dead = processes.start()
              yield* take(given, dead, serverOf("dead"))
              processes.kill(dead)
            })
        )
      })
  )

  const edit = (text: string) => text.replace("{", '{ "new": 1,')
  it.effect.each(stories.filter(({ before }) => typeof before.text === "string"))(
    "of $name, and the user edits what it left: his edit is all that has changed",
    (story) =>
      Effect.gen(function* () {
        const processes = makeProcesses()
        yield* atEveryStep(story, processes, (given) =>
          Effect.gen(function* () {
            writeFileSync(given.file, edit(readFileSync(given.file, "utf8")))
            yield* recover(given, processes.start())
            assertAsBefore(given, edit(base))
          })
        )
      })
  )

  it.effect("and the one that would have put it right as well: an edit of what they left is all that has changed", () =>
    Effect.gen(function* () {
      const joins: Story["story"] = (given, host) => take(given, host, serverOf(`of ${host.name}`))
      // Before the journal of the second, between its journal and its file, and after its file.
      for (const second of [2, 5, 9]) {
        const processes = makeProcesses()
        const [dead, other] = [processes.start(), processes.start()]
        yield* atEveryStep(
          { before: { text: base }, story: joins },
          processes,
          (given) =>
            Effect.gen(function* () {
              yield* live({ story: joins }, processes, given, second)
              writeFileSync(given.file, edit(readFileSync(given.file, "utf8")))
              processes.kill(other)
              yield* recover(given, processes.start())
              assertAsBefore(given, edit(base))
            }),
          (given) =>
            Effect.gen(function* () {
              for (const host of [dead, other]) yield* take(given, processes.revive(host), serverOf(`of ${host.name}`))
              processes.kill(dead)
            })
        )
      }
    })
  )
})
