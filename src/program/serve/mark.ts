/** What a running `serve` leaves in its store for `reins serve --status`: nothing secret. */
import { Effect, Option, Schema } from "effect"
import { writeMark } from "../../bridge/journal/marks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"

const name = "serve"

export const Mark = Schema.Struct({
  pid: Schema.Int,
  startedAt: Schema.Finite,
  /** Without the key. */
  address: Schema.String,
  directory: Schema.String
})
export type Mark = typeof Mark.Type

const MarkJson = Schema.fromJsonString(Mark)
const encode = Schema.encodeSync(MarkJson)
const decode = Schema.decodeUnknownOption(MarkJson)

export const leaveMark = ({ sql, transact }: OpenStore, channel: string, account: string, mark: Mark) =>
  transact(Effect.asVoid(writeMark(sql, channel, account, name, encode(mark))))

/** Undefined: there is none that can be read. */
export const readMark = ({ sql, read }: OpenStore, channel: string, account: string) =>
  Effect.map(
    read(
      sql<{ readonly value: string }>`select value from bridge_marks
        where channel = ${channel} and account = ${account} and name = ${name}`
    ),
    ([row]) => Option.getOrUndefined(decode(row?.value))
  )
