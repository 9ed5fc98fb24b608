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

const takeAndEnd = (input: Workspace, host: Host) =>
  Effect.flatMap(take(input, host, serverOf("mine"), { secret: true }), ({ end }) => end)

const stories: ReadonlyArray<Story> = [
  { name: "a run on a file", before: { text: base, mode: 0o640 }, story: takeAndEnd },
  { name: "a run without a file", before: { text: undefined }, story: takeAndEnd },
  { name: "a run without a directory", before: { text: null }, story: takeAndEnd },
  {
    name: "two runs of one process",
    before: { text: base },
    story: (input, host) =>
      Effect.gen(function* () {
        const first = yield* take(input, host, serverOf("first"))
        const second = yield* take(input, host, serverOf("second"), { secret: true })
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
      const count = yield* atEveryStep(story, processes, (input) =>
        Effect.gen(function* () {
          yield* recover(input, processes.start())
          assertAsBefore(input)
          const again = yield* recover(input, processes.start())
          assert.deepStrictEqual(again, { file: input.file, isRestored: false, activeRuns: 0, isPending: false })
        })
      )
      assert.isAbove(count, fewest)
    })
  )

  it.effect.each(stories)("of $name: the next run restores all", (story) =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      yield* atEveryStep(story, processes, (input) =>
        Effect.gen(function* () {
          const lease = yield* take(input, processes.start(), serverOf("next"))
          assertHas(input, serverOf("next"))
          yield* lease.end
          assertAsBefore(input)
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
        (input) =>
          Effect.gen(function* () {
            assertHas(input, serverOf("other"))
            yield* recover(input, processes.start())
            assertHas(input, serverOf("other"))
            yield* other.end
            assertAsBefore(input)
          }),
        (input) =>
          Effect.gen(function* () {
            other = yield* take(input, processes.start(), serverOf("other"))
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
          (input) =>
            Effect.gen(function* () {
              yield* recover(input, processes.start())
              assertAsBefore(input)
            }),
          (input) =>
            Effect.gen(function* () {
              const dead = processes.start()
              yield* take(input, dead, serverOf("dead"))
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
        yield* atEveryStep(story, processes, (input) =>
          Effect.gen(function* () {
            writeFileSync(input.file, edit(readFileSync(input.file, "utf8")))
            yield* recover(input, processes.start())
            assertAsBefore(input, edit(base))
          })
        )
      })
  )

  it.effect("and the one that would have put it right as well: an edit of what they left is all that has changed", () =>
    Effect.gen(function* () {
      const joins: Story["story"] = (input, host) => take(input, host, serverOf(`of ${host.name}`))
      // Before the journal of the second, between its journal and its file, and after its file.
      for (const second of [2, 5, 9]) {
        const processes = makeProcesses()
        const [dead, other] = [processes.start(), processes.start()]
        yield* atEveryStep(
          { before: { text: base }, story: joins },
          processes,
          (input) =>
            Effect.gen(function* () {
              yield* live({ story: joins }, processes, input, second)
              writeFileSync(input.file, edit(readFileSync(input.file, "utf8")))
              processes.kill(other)
              yield* recover(input, processes.start())
              assertAsBefore(input, edit(base))
            }),
          (input) =>
            Effect.gen(function* () {
              for (const host of [dead, other]) yield* take(input, processes.revive(host), serverOf(`of ${host.name}`))
              processes.kill(dead)
            })
        )
      }
    })
  )
})
