/**
 * Follows the texts that were written to a live session, by the `command_lifecycle` of each, and whether a turn is
 * under way (2.1.328). A text that arrives in mid-turn is folded into that turn and gets no result of its own; one that
 * arrives too late starts a turn later.
 */
import type * as Wire from "../wire.ts"

interface Delivery {
  readonly kind: "turn" | "steer"
  /** `written` until the CLI has a line about it. */
  state: "written" | "queued" | "started"
}

/**
 * Meaning of a lifecycle line: a turn or a steer starts a turn of its own, or a turn was dropped and gets no result.
 */
export type News = "began" | "began_late" | "dropped" | undefined

export interface Deliveries {
  readonly wrote: (uuid: string, kind: Delivery["kind"]) => void
  readonly follow: (uuid: string, state: string) => News
  /** A turn starts. `mayBeSecond`: the CLI may have started it while the result of the one before is still to come. */
  readonly begin: (mayBeSecond: boolean) => void
  /** Returns whether a turn that was asked for is still to come. */
  readonly end: (line: Wire.RunResult) => boolean
  readonly isUnderWay: () => boolean
  /** Of these, the turn that has not started yet. */
  readonly waitingTurn: (uuids: ReadonlyArray<string>) => string | undefined
}

/** For a CLI without lifecycle lines: the result of a turn that the CLI did not start itself is the one asked for. */
const hasNoLifecycle = (line: Wire.RunResult, { kind, state }: Delivery) =>
  line.user_message_uuids == null && line.origin == null && kind === "turn" && state === "written"

/** The delivery after a line of its lifecycle. */
const followed = (delivery: Delivery, state: string, hasStarted: boolean): News => {
  if (delivery.state === "started") return undefined
  if (state === "cancelled") return "dropped"
  if (state === "queued") delivery.state = "queued"
  if (state !== "started") return undefined
  delivery.state = "started"
  return delivery.kind === "steer" && !hasStarted ? "began_late" : "began"
}

export const makeDeliveries = (): Deliveries => {
  const open = new Map<string, Delivery>()
  let turns = 0

  const hasStarted = () => turns > 0 || [...open.values()].some(({ state }) => state === "started")

  return {
    wrote: (uuid, kind) => {
      open.set(uuid, { kind, state: "written" })
    },
    follow: (uuid, state) => {
      const delivery = open.get(uuid)
      const news = delivery && followed(delivery, state, hasStarted())
      if (news !== "dropped") return news
      open.delete(uuid)
      return delivery?.kind === "turn" ? news : undefined
    },
    begin: (mayBeSecond) => {
      turns = mayBeSecond ? turns + 1 : Math.max(1, turns)
    },
    end: (line) => {
      turns = Math.max(0, turns - 1)
      const named = new Set(line.user_message_uuids)
      for (const [uuid, delivery] of open) {
        if (named.has(uuid) || delivery.state === "started" || hasNoLifecycle(line, delivery)) open.delete(uuid)
      }
      return [...open.values()].some(({ kind }) => kind === "turn")
    },
    isUnderWay: () => turns > 0 || open.size > 0,
    waitingTurn: (uuids) =>
      uuids.find((uuid) => {
        const delivery = open.get(uuid)
        if (delivery === undefined || delivery.state === "started") return false
        return delivery.kind === "turn" || !hasStarted()
      })
  }
}
