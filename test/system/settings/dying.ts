/** A process that dies after any of its steps, or in the middle of one, as if it had been killed. */
import { Deferred, Effect, Exit, Scope } from "effect"
import { type Disk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { type Before, type Host, inWorkspace, type makeProcesses, type Workspace } from "./workspace.ts"

/** The calls that change the disk; dying before any other call is like dying after the last of these. */
const steps: ReadonlySet<string> = new Set(["create", "rename", "remove", "link", "makeDirectory", "removeEmpty"])

interface Death {
  /** A file was to be written: it may also be there by half. */
  readonly isTearable: boolean
}

/** After `count` steps nothing happens any more, as if the process had been killed. `handles`: what it has open. */
const dying = (disk: Disk, count: number, isTorn: boolean, handles: Scope.Scope) => {
  const died = Deferred.makeUnsafe<Death>()
  let taken = 0
  const step = (name: string, args: ReadonlyArray<unknown>, run: () => Effect.Effect<unknown, unknown>) => {
    taken += 1
    if (taken <= count) return run()
    const [file, data, options] = args
    const isTearable = name === "create" && data instanceof Uint8Array && data.length > 0
    const half = isTearable ? data.subarray(0, data.length / 2) : new Uint8Array()
    const tear =
      isTearable && isTorn ? disk.create(String(file), half, options as { readonly mode: number }) : Effect.void
    return tear.pipe(Effect.andThen(Deferred.succeed(died, { isTearable })), Effect.andThen(Effect.never))
  }
  const openDirectory: Disk["openDirectory"] = Effect.fnUntraced(function* (path) {
    const handle = yield* Scope.fork(handles)
    yield* Effect.addFinalizer((exit) => Scope.close(handle, exit))
    return yield* Scope.provide(disk.openDirectory(path), handle)
  })
  const dead = new Proxy(disk, {
    get: (target, name) => {
      if (name === "openDirectory") return openDirectory
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function" || !steps.has(String(name))) return method
      return (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => step(String(name), args, () => Reflect.apply(method, target, args)))
    }
  })
  return { disk: dead, died: Deferred.await(died) }
}

type Check = Effect.Effect<void, unknown>
type Processes = ReturnType<typeof makeProcesses>

export interface Story {
  readonly name: string
  readonly before: Before
  readonly story: (input: Workspace, host: Host) => Effect.Effect<unknown, unknown>
}

/** One process that plays the story until it dies, or to the end. */
export const live = Effect.fnUntraced(function* (
  { story }: Pick<Story, "story">,
  processes: Processes,
  input: Workspace,
  count: number,
  isTorn = false
) {
  const host = processes.start()
  const handles = yield* Scope.make()
  const life = dying(yield* SettingsDisk, count, isTorn, handles)
  const ended = yield* Deferred.make<undefined, unknown>()
  yield* story(input, host).pipe(
    Effect.provideService(SettingsDisk, life.disk),
    Effect.as(undefined),
    Effect.exit,
    Effect.flatMap((exit) => Deferred.done(ended, exit)),
    Effect.forkDetach
  )
  const death = yield* Effect.raceFirst(Deferred.await(ended), life.died)
  processes.kill(host)
  // Open files of a process are closed by the system.
  yield* Scope.close(handles, Exit.void)
  return death
})

/** Plays the story with one more step each time, until it is not cut short. */
export const atEveryStep = (
  { before, story }: Pick<Story, "before" | "story">,
  processes: Processes,
  afterwards: (input: Workspace) => Check,
  prepare: (input: Workspace) => Check = () => Effect.void
) =>
  Effect.gen(function* () {
    const play = (count: number, isTorn: boolean) =>
      inWorkspace(before, (input) =>
        Effect.gen(function* () {
          yield* prepare(input)
          const death = yield* live({ story }, processes, input, count, isTorn)
          yield* afterwards(input)
          return death
        })
      )
    let count = 0
    while (true) {
      const death = yield* play(count, false)
      if (death === undefined) return count
      if (death.isTearable) yield* play(count, true)
      count += 1
    }
  })
