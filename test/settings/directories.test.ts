/** A directory that was made goes again, whoever comes in while it goes. */
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layer } from "@effect/vitest"
import { Effect, FileSystem, type Path } from "effect"
import {
  assertAsBefore,
  assertHas,
  type Held,
  inWorkspace,
  makeProcesses,
  serverOf,
  take,
  type Workspace
} from "./workspace.ts"

type Processes = ReturnType<typeof makeProcesses>

/** Does `unlocked` when the lock is left for the last time, and `listed` when the directory is looked at after that. */
const interpose = (fs: FileSystem.FileSystem, unlocked: Effect.Effect<unknown, unknown>, listed: () => void) => {
  const state = { isLast: false, isUnlocked: false }
  const interposed: FileSystem.FileSystem = {
    ...fs,
    remove: (file, options) =>
      Effect.gen(function* () {
        yield* fs.remove(file, options)
        if (!state.isLast || !file.includes(".reins-lock.")) return
        state.isLast = false
        state.isUnlocked = true
        yield* Effect.orDie(unlocked)
      }),
    readDirectory: (directory, options) =>
      Effect.suspend(() => {
        if (state.isUnlocked) listed()
        return fs.readDirectory(directory, options)
      })
  }
  return {
    interposed,
    arm: Effect.sync(() => {
      state.isLast = true
    })
  }
}

const whileItGoes = (
  unlocked: (
    given: Workspace,
    processes: Processes
  ) => Effect.Effect<unknown, unknown, FileSystem.FileSystem | Path.Path>,
  listed: (given: Workspace) => void,
  after: (given: Workspace) => Effect.Effect<void>
) =>
  inWorkspace({ text: null }, (given) =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      const fs = yield* FileSystem.FileSystem
      const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const meanwhile = Effect.provideContext(unlocked(given, processes), context)
      const { interposed, arm } = interpose(fs, meanwhile, () => listed(given))
      const first = take(given, processes.start(), serverOf("first"))
      const lease = yield* Effect.provideService(first, FileSystem.FileSystem, interposed)
      yield* arm
      yield* lease.end
      yield* after(given)
      assertAsBefore(given)
    })
  )
layer(NodeServices.layer)("a directory that goes", (it) => {
  it.effect("is left to a run that has come in, and goes with it", () => {
    let second: Held | undefined
    return whileItGoes(
      (given, processes) =>
        Effect.gen(function* () {
          second = yield* take(given, processes.start(), serverOf("second"))
        }),
      () => {},
      (given) =>
        Effect.suspend(() => {
          assertHas(given, serverOf("second"))
          return second?.end ?? Effect.void
        })
    )
  })

  it.effect("goes also when a run looked in just then and went", () => {
    const lockIn = ({ file }: Workspace) => join(dirname(file), "settings.json.reins-lock.555.1.id")
    return whileItGoes(
      (given, processes) =>
        Effect.sync(() => {
          processes.start(555)
          writeFileSync(lockIn(given), "")
        }),
      (given) => rmSync(lockIn(given), { force: true }),
      () => Effect.void
    )
  })
})
