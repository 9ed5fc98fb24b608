/** Commands on the worktrees of conversations: they change them, and print. */
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { Console, Effect, Layer, Option, Result, Stdio, Stream } from "effect"
import type { ConfigurationError } from "../../contract/ConfigurationError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { WorktreeInfo } from "../../contract/Worktrees.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { findRepository } from "../../system/worktrees/git.ts"
import { printingFailures, readStoreConfig, type StoreFlags } from "../database.ts"
import { badUsage, type Ended, failWith, refuse, sessionBusy } from "../exit.ts"
import { inFlags } from "../flagNames.ts"
import { clip, oneLine, padEnd, widest } from "../format.ts"
import { ago, shownPath } from "../sessions/cells.ts"
import { currentScene } from "../sessions/table.ts"
import { write } from "../show.ts"
import { configuredStore } from "../store.ts"
import { marks, paint } from "../style.ts"
import { actionLines, changeLines, fileRows, totalOf } from "./changeLines.ts"
import { leftoverText } from "./leftoverText.ts"

const codeOf = ({ reason }: WorktreeError) => {
  if (reason._tag === "WorktreeBusy" || reason._tag === "SessionBusy") return sessionBusy
  return reason._tag === "InvalidParams" || reason._tag === "UnknownWorktree" ? badUsage : 1
}

const failing = (error: WorktreeError) => failWith(`${inFlags(error.message)}\n${inFlags(error.help)}`, codeOf(error))

export const withWorktrees = <A, R>(
  flags: StoreFlags,
  work: Effect.Effect<A, WorktreeError | StoreError | ConfigurationError | Ended, R | Worktrees>
): Effect.Effect<A, Ended, Platform | Exclude<R, Worktrees>> =>
  Effect.flatMap(readStoreConfig(flags), (configuration) =>
    Effect.provide(work, Layer.provide(Worktrees.layer, configuredStore(configuration)))
  ).pipe(Effect.catchTag("WorktreeError", failing), printingFailures)

export interface ChangesInput {
  readonly id: Option.Option<string>
  readonly apply: boolean
  readonly commit: boolean
  readonly discard: boolean
  readonly message: Option.Option<string>
  readonly patch: boolean
  readonly json: boolean
}

const noWorktrees =
  'No worktrees yet. reins chat --worktree, or reins run --conversation NAME --worktree, makes one; so does worktree = "each" of a directory.'

const isOf = (repository: string) => (info: WorktreeInfo) => info.repository === repository

/** The named one, else the only one of the repository here, else the only one. */
const chosen = Effect.fn(...untraced("Perform.chosen"))(function* (id: Option.Option<string>) {
  if (Option.isSome(id)) return id.value
  const { list } = yield* Worktrees
  const all = yield* list
  const found = yield* Effect.result(findRepository("."))
  const top = Result.isSuccess(found) ? found.success : undefined
  const prefix = top === undefined ? "" : top.prefix.replace(/\/$/, "")
  const here =
    top === undefined
      ? []
      : all.filter(isOf(prefix === "" ? top.directory : top.directory.slice(0, -prefix.length - 1)))
  const candidates = here.length === 0 ? all : here
  const [only, second] = candidates
  if (only === undefined) return undefined
  if (second === undefined) return only.name
  const names = candidates.slice(0, 10).map(({ name }) => name)
  return yield* refuse("changes", [`which of ${names.join(", ")}? Name one: reins changes ${only.name}`])
})

const print = (lines: ReadonlyArray<string>) => Console.log(lines.join("\n"))

const command = (name: string) => (action: "apply" | "commit" | "discard") => `reins changes ${name} --${action}`

const show = Effect.fn(...untraced("Perform.show"))(function* (name: string, { patch, json }: ChangesInput) {
  const worktrees = yield* Worktrees
  const changes = yield* worktrees.changes(name, { patch: patch || json })
  if (json) return yield* Console.log(JSON.stringify(changes))
  if (patch) {
    if (changes.patch === undefined)
      return yield* failWith(
        "the patch is longer than 16 MiB, or has a text that is not UTF-8: use git diff --binary with the ids of --json",
        1
      )
    const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
    yield* write(Stream.make(isTerminal ? harmless(changes.patch) : changes.patch))
    return
  }
  const { surface } = yield* currentScene
  yield* print(changeLines(changes, surface, actionLines(changes, command(oneLine(changes.worktree.name)))))
})

const applied = Effect.fn(...untraced("Perform.applied"))(function* (name: string) {
  const { surface } = yield* currentScene
  const files = yield* (yield* Worktrees).apply(name)
  yield* print(
    files.length === 0
      ? ["nothing to apply: the working tree has all of it"]
      : [`${marks.ok} applied: ${totalOf(files)}, not committed`, ...fileRows(files, surface)]
  )
})

const committed = Effect.fn(...untraced("Perform.committed"))(function* (name: string, message: Option.Option<string>) {
  const commit = yield* (yield* Worktrees).commit(name, { message: Option.getOrUndefined(message) })
  yield* Console.log(
    commit === undefined
      ? "nothing to commit: its branch has all of it"
      : `${marks.ok} committed as ${commit.slice(0, 12)}`
  )
})

const discarded = Effect.fn(...untraced("Perform.discarded"))(function* (name: string) {
  const commit = yield* (yield* Worktrees).discard(name)
  yield* Console.log(`${marks.ok} discarded; git keeps the files as ${commit.slice(0, 12)}`)
})

const problemsOf = (input: ChangesInput): ReadonlyArray<string> => {
  const named = ["apply", "commit", "discard", "patch"] as const
  const [first, second] = named.filter((name) => input[name])
  return [
    ...(second === undefined ? [] : [`--${second}: contradicts --${first}`]),
    ...(Option.isSome(input.message) && !input.commit ? ["--message: belongs to --commit"] : [])
  ]
}

export const changes = Effect.fn(...untraced("Perform.changes"))(function* (input: ChangesInput) {
  const problems = problemsOf(input)
  if (problems.length > 0) return yield* refuse("changes", problems)
  const name = yield* chosen(input.id)
  if (name === undefined) return yield* Console.log(noWorktrees)
  if (input.apply) return yield* applied(name)
  if (input.commit) return yield* committed(name, input.message)
  return yield* input.discard ? discarded(name) : show(name, input)
})

const mostEntries = 200_000

/** Sizes of files below a directory; undefined where there are too many. */
const sizeOf = (directory: string) =>
  Effect.promise(async () => {
    let [bytes, entries] = [0, 0]
    const pending = [directory]
    while (pending.length > 0) {
      const path = pending.pop() ?? directory
      for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
        entries += 1
        if (entries > mostEntries) return undefined
        if (entry.isDirectory()) pending.push(join(path, entry.name))
        else bytes += (await lstat(join(path, entry.name)).catch(() => undefined))?.size ?? 0
      }
    }
    return bytes
  })

const sizeText = (bytes: number | undefined) =>
  bytes === undefined
    ? "large"
    : `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: bytes < 10_000_000 ? 1 : 0 })} MB`

const states: { readonly [State in WorktreeInfo["state"]]: string } = {
  ready: "",
  stored: "stored in git",
  making: "half made"
}

export const list = Effect.fn(...untraced("Perform.list"))(function* (json: boolean) {
  const worktrees = yield* (yield* Worktrees).list
  const all = yield* Effect.forEach(worktrees, (info) =>
    Effect.map(info.state === "ready" ? sizeOf(info.path) : Effect.succeed(0), (bytes) => ({ ...info, bytes }))
  )
  if (json) {
    if (all.length === 0) return
    return yield* Console.log(all.map((each) => JSON.stringify(each)).join("\n"))
  }
  if (all.length === 0) return yield* Console.log(noWorktrees)
  const { surface, now, home } = yield* currentScene
  const rows = all.map((each) => [
    clip(oneLine(each.name), 50),
    shownPath(each.repository, home, 40),
    ago(each.usedAt, now),
    each.state === "ready" ? sizeText(each.bytes) : states[each.state]
  ])
  const head = ["NAME", "REPOSITORY", "LAST USED", "SIZE"]
  const widths = head.map((title, at) => widest([title, ...rows.map((row) => row[at] ?? "")]))
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, at) => padEnd(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  )
  yield* print([paint(surface, "dim", lines[0] ?? ""), ...lines.slice(1)])
})

export const remove = Effect.fn(...untraced("Perform.remove"))(function* (name: string, discard: boolean) {
  const what = yield* (yield* Worktrees).remove(name, { discard })
  yield* Console.log(
    what === "stored"
      ? `${marks.ok} removed from the disk; its branch and its changes are in git, and its next turn restores them (--discard gives them up)`
      : `${marks.ok} removed`
  )
})

export const clean = Effect.gen(function* () {
  const worktrees = yield* Worktrees
  const done = yield* worktrees.clean
  const left = yield* worktrees.leftovers
  yield* print([
    ...done.map((what) => `${marks.ok} ${oneLine(what)}`),
    ...left.map(({ kind, path, name }) => `${marks.warning} ${leftoverText(kind, oneLine(name ?? path))}`),
    ...(done.length + left.length === 0 ? ["nothing is left to clean"] : [])
  ])
})
