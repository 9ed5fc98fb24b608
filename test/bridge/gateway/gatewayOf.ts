/** A gateway over a journal in memory, with a channel that shows what it is given as it is. */
import { Effect, Layer, type Scope } from "effect"
import { assert } from "vitest"
import type { Gateway, GatewayTurn, Outlet } from "../../../src/bridge/gateway/gatewayContext.ts"
import { gatewayTools } from "../../../src/bridge/gateway/gatewayTools.ts"
import { type AccountJournal, Journal } from "../../../src/bridge/journal/Journal.ts"
import type { Piece, ReplyPayload } from "../../../src/bridge/messages/ReplyPayload.ts"
import type { HostTool } from "../../../src/contract/HostTool.ts"
import { eventually } from "../../../src/contract/Input.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDirectory } from "../../kit/temporary.ts"

export const conversation = { channel: "test", accountId: "bot", chatId: "1" }
export const team = { ...conversation, chatId: "2" }

export const turnOf = (id: string, role: GatewayTurn["role"] = "user"): GatewayTurn => ({ id, person: "ann", role })

/** One piece of the text, buttons and file. */
const render = ({ text = "", mediaUrls: [file] = [], buttons, replyToId }: ReplyPayload): ReadonlyArray<Piece> =>
  text === "" && file === undefined
    ? []
    : [{ text, body: JSON.parse(JSON.stringify({ buttons, replyToId })), ...(file === undefined ? {} : { file }) }]

export interface Bench {
  readonly journal: AccountJournal
  readonly outlet: Outlet
  readonly gateway: Gateway
  readonly directory: string
  /** The turn that calls are made in. */
  turn: GatewayTurn | undefined
  puts: number
}

export const withBench = <A, E>(body: (bench: Bench) => Effect.Effect<A, E, Scope.Scope>, raw: Partial<Gateway> = {}) =>
  Effect.gen(function* () {
    const journal = yield* (yield* Journal).own("test", "bot")
    const directory = yield* makeDirectory
    const copies = yield* makeDirectory
    const limits = { uploadBytes: 1_000_000, buttons: { most: 3, label: 20, data: 64 } }
    const outlet: Outlet = { journal, render, limits, copies, onPut: Effect.sync(() => bench.puts++) }
    const gateway: Gateway = {
      ...{ conversation, role: "user", directory: Effect.succeed(directory), outlet },
      turn: () => bench.turn,
      targets: [{ name: "team", description: "All of us", conversation: team, outlet: () => outlet }],
      ...raw
    }
    const bench: Bench = { journal, outlet, gateway, directory, turn: turnOf("t1", raw.role), puts: 0 }
    return yield* body(bench)
  }).pipe(Effect.scoped, Effect.provide(Layer.provide(Journal.layer, Store.layerMemory())))

export const namesOf = (tools: ReadonlyArray<HostTool>) => tools.map(({ name }) => name)

/** Calls as the server of tools does; a failure is its message. */
export const call = (tools: ReadonlyArray<HostTool>, name: string, input: unknown) => {
  const tool = tools.find((each) => each.name === name)
  assert.isDefined(tool, `${name} is listed`)
  return eventually(() => tool?.run(input, { signal: new AbortController().signal })).pipe(
    Effect.map((value): Record<string, unknown> => ({ ...(value as object) })),
    Effect.mapError((error) => (error instanceof Error ? error.message : String(error)))
  )
}

export const callOf = ({ gateway }: Pick<Bench, "gateway">, name: string, input: unknown) =>
  call(gatewayTools(gateway), name, input)

/** All pieces that wait, whatever is before them. */
export const piecesOf = ({ journal }: Bench, ids: ReadonlyArray<unknown>) =>
  Effect.map(
    Effect.forEach(ids, (id) => journal.outbox.get(`${id}/0`)),
    (rows) => rows.flatMap((row) => row ?? [])
  )
