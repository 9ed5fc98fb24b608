/** Homes of one store: each has a user's home with the files of the CLIs, and a state directory with its locks. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, type Redacted } from "effect"
import { addMove, type Move, moveById } from "../../../src/cluster/move/moveRows.ts"
import { findMoves, performMove, runMoves } from "../../../src/cluster/move/runMoves.ts"
import { slugOf } from "../../../src/cluster/move/sessionFiles.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { sessionByKey } from "../../../src/conversations/turns/sessionRows.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { addSession } from "../../conversations/kit/rows.ts"
import { openIn } from "../../conversations/store/stores.ts"
import { makeDatabase } from "../../kit/postgres.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { claudeId, writeClaude } from "./kit.ts"

export interface Home {
  readonly store: OpenStore
  /** Files of the user. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** As a process of this home: with its locks. */
  readonly at: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, NodeServices.NodeServices>>
}

/** `env`: of its CLIs. */
export const openHomeIn = Effect.fnUntraced(function* (
  folder: string,
  env: Readonly<Record<string, string>>,
  url: Redacted.Redacted
) {
  const host = { ...env, HOME: folder, XDG_STATE_HOME: join(folder, "state") }
  const at: Home["at"] = (work) =>
    work.pipe(Effect.provideService(HostEnvironment, host), Effect.provide(NodeServices.layer))
  const store = yield* at(openIn(Store.layerPostgres({ url })))
  const home: Home = { store, folder, env: { ...env, HOME: folder }, at }
  return home
})

const openHome = (url: Redacted.Redacted) =>
  Effect.flatMap(makeDirectory, (folder) => openHomeIn(folder, { PATH: process.env["PATH"] ?? "" }, url))

/** URL of an empty database. */
export const openHomes = Effect.gen(function* () {
  const { url } = yield* makeDatabase
  return { from: yield* openHome(url), to: yield* openHome(url), work: yield* makeDirectory, url }
})

/** Tells who has begun to look, and goes on with it. */
export const running = ({ store, env, at }: Home) => Effect.forkScoped(at(runMoves({ store, env })))

/** All that a home has to do now, once. */
export const perform = ({ store, env, at }: Home, through: OpenStore = store) =>
  Effect.flatMap(findMoves(store), (moves) =>
    Effect.forEach(moves, (move) => at(performMove({ store: through, env }, move)), { discard: true })
  )

/** A session of Claude Code at a home, with its row; gives its file. */
export const addClaude = ({ store, folder }: Home, directory: string, ...prompts: ReadonlyArray<string>) =>
  Effect.as(
    addSession(store, { session_id: claudeId, directory, turns: prompts.length }),
    writeClaude(folder, directory, ...prompts)
  )

export const claudeFile = ({ folder }: Home, directory: string) =>
  join(folder, ".claude/projects", slugOf(directory), `${claudeId}.jsonl`)

export const textOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined)

export const moveId = "0b2b3a52-61c5-4b0c-8a1a-6f3b0e6a9d11"

/** As `requestMove` asks for it. */
export const askMove = (from: Home, to: Home, directory: string, id = moveId) =>
  addMove(from.store, { id, sessionKey: "key-1", from: from.store.home, to: to.store.home, directory }, Date.now())

export const sessionOf = ({ store }: Home) => sessionByKey(store, "key-1")

export const moveOf = ({ store }: Home): Effect.Effect<Move | undefined, unknown> => moveById(store, moveId)

/** How it stands, and whether something of it is left to be tidied up. */
export const stateOf = Effect.fnUntraced(function* (home: Home) {
  const { state, problem, payload } = (yield* moveOf(home)) ?? {}
  return { state, problem, isTidy: payload === undefined }
})

export const blobsOf = ({ store: { sql, read } }: Home) =>
  Effect.map(read(sql<object>`select hash from blobs`), (rows) => rows.length)

/** Files of a CLI, but for databases, with their permissions. */
export const filesOf = ({ folder }: Home, below = ".claude") => {
  const root = join(folder, below)
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : []
  return names
    .map((name) => ({ name, info: statSync(join(root, name)) }))
    .map(({ name, info }) => `${(info.mode & 0o777).toString(8)} ${name}${info.isDirectory() ? "/" : ""}`)
    .toSorted()
}
