/**
 * The turns of a live session (2.1.328): the texts written to it, each followed by its `command_lifecycle`, and the one end of
 * each turn. A text in mid-turn is folded into that turn and gets no result of its own; a late one starts a turn. An interrupt
 * before its turn has started can miss it: the CLI then lists the turn as still queued, and it is interrupted when it starts.
 */
import { Aborted } from "../../../contract/AgentError.ts"
import type { RunReport } from "../../Decoder.ts"
import type { Output } from "../../Live.ts"
import { type Outputs, queuedNotice } from "../../outputs.ts"
import type { RunResult } from "../wire.ts"
import type { Ended } from "./transcript.ts"

interface Delivery {
  readonly kind: "turn" | "steer"
  /** `written` until the CLI has a line about it. */
  state: "written" | "queued" | "started"
}

export interface Turns {
  readonly wrote: (uuid: string, kind: Delivery["kind"]) => void
  /** A line of the lifecycle of a text. */
  readonly follow: (uuid: string, state: string) => Outputs
  /** A turn starts. `mayBeSecond`: the CLI may have started it while the result of the one before is still to come. */
  readonly begin: (mayBeSecond: boolean) => void
  readonly end: (line: RunResult, ended: Ended) => Output
  /** No text waits for the CLI: nothing but its result can end the turn. */
  readonly isWhole: () => boolean
  /** The turn is over without its result. */
  readonly settle: (report: RunReport) => Output
  /** Whether a result belongs to a turn that was ended without it. */
  readonly isLate: (line: RunResult) => boolean
  readonly isUnderWay: () => boolean
  /** Asks the turn under way to end: once is enough. */
  readonly interrupt: () => Outputs
  /** The turn will end because of another answer, such as a denial that interrupts. */
  readonly expectEnd: () => void
  /** The answer to an interrupt. */
  readonly interrupted: (isGranted: boolean, stillQueued: ReadonlyArray<string>) => void
}

/** For a CLI without lifecycle lines: any result of a turn that the CLI did not start itself ends the requested one. */
const hasNoLifecycle = (line: RunResult, { kind, state }: Delivery) =>
  line.user_message_uuids == null && line.origin == null && kind === "turn" && state === "written"

/** The turn was broken off before its end. */
export const isBroken = ({ subtype, terminal_reason }: RunResult) =>
  subtype === "error_during_execution" || terminal_reason?.startsWith("aborted_") === true

const aborted = { _tag: "Failure", reason: new Aborted() } as const

export const makeTurns = (writeInterrupt: () => Output): Turns => {
  const open = new Map<string, Delivery>()
  let started = 0
  let hasLifecycle = false
  /** The texts of turns that were ended without their results, and the number of these. */
  let unreported = { uuids: new Set<string>(), results: 0 }
  /** The running turn was interrupted. */
  let isAsked = false
  let isExpected = false
  /** The text of the turn that the interrupt has missed. */
  let missed: string | undefined

  const hasStarted = () => started > 0 || [...open.values()].some(({ state }) => state === "started")
  const isUnderWay = () => started > 0 || open.size > 0

  /** A turn is over; the interrupted one may still be to come. Returns whether an end was requested. */
  const wasAsked = (isWaited: boolean) => {
    const was = isAsked || isExpected
    isExpected = false
    isAsked = isAsked && isWaited && missed !== undefined
    if (!isAsked) missed = undefined
    return was
  }

  const dropped = (uuid: string, { kind }: Delivery): Outputs => {
    open.delete(uuid)
    if (kind === "steer") return []
    wasAsked(false)
    return [{ _tag: "TurnEnded", verdict: aborted, report: {}, isInterrupted: true }]
  }

  return {
    wrote: (uuid, kind) => {
      open.set(uuid, { kind, state: "written" })
    },
    follow: (uuid, state) => {
      hasLifecycle = true
      const delivery = open.get(uuid)
      if (delivery === undefined || delivery.state === "started") return []
      if (state === "cancelled") return dropped(uuid, delivery)
      if (state === "queued") delivery.state = "queued"
      if (state !== "started") return []
      const isLate = delivery.kind === "steer" && !hasStarted()
      delivery.state = "started"
      const isMissed = isAsked && missed === uuid
      if (isMissed) missed = undefined
      return [...(isLate ? [queuedNotice] : []), ...(isMissed ? [writeInterrupt()] : [])]
    },
    begin: (mayBeSecond) => {
      started = mayBeSecond ? started + 1 : Math.max(1, started)
      unreported.results = 0
    },
    end: (line, { report, verdict }) => {
      started = Math.max(0, started - 1)
      const named = new Set(line.user_message_uuids)
      for (const [uuid, delivery] of open) {
        if (named.has(uuid) || delivery.state === "started" || hasNoLifecycle(line, delivery)) open.delete(uuid)
      }
      const isWaited = [...open.values()].some(({ kind }) => kind === "turn")
      const isInterrupted = wasAsked(isWaited) && isBroken(line) && line.is_error !== false
      return {
        _tag: "TurnEnded",
        verdict: isInterrupted || verdict === undefined ? aborted : verdict,
        report,
        ...(isInterrupted ? { isInterrupted } : {}),
        ...(isWaited ? { isOwn: false } : {})
      }
    },
    isWhole: () =>
      isUnderWay() &&
      [...open.values()].every(({ kind, state }) => state === "started" || (kind === "turn" && !hasLifecycle)),
    settle: (report) => {
      unreported = { uuids: new Set(open.keys()), results: Math.max(1, started) }
      open.clear()
      started = 0
      wasAsked(false)
      return { _tag: "TurnEnded", verdict: { _tag: "Success" }, report }
    },
    isLate: (line) => {
      const named = line.user_message_uuids ?? []
      const isOfLate = named.some((uuid) => unreported.uuids.has(uuid))
      const isNext = unreported.results > 0 && named.length === 0 && line.local_command == null && !hasStarted()
      if (isOfLate || isNext) unreported.results -= 1
      return isOfLate || isNext
    },
    isUnderWay,
    interrupt: () => {
      if (isAsked || !isUnderWay()) return []
      isAsked = true
      return [writeInterrupt()]
    },
    expectEnd: () => {
      isExpected = true
    },
    interrupted: (isGranted, stillQueued) => {
      if (!isGranted) isAsked = false
      if (!isAsked) return
      missed = stillQueued.find((uuid) => {
        const delivery = open.get(uuid)
        if (delivery === undefined || delivery.state === "started") return false
        return delivery.kind === "turn" || !hasStarted()
      })
    }
  }
}
