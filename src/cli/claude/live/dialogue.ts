/**
 * Claude Code's side of a live session (2.1.328): calls of the session → lines to write, and lines of the CLI →
 * outputs.
 */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision } from "../../../contract/Ask.ts"
import type { Standing } from "../../Cli.ts"
import type { Change, Dialogue, Output } from "../../Live.ts"
import { permissionModes } from "../command/arguments.ts"
import { disarmed, promptProblem } from "../command/prompt.ts"
import { userLine } from "./control.ts"
import { handshake } from "./handshake.ts"
import {
  isControl,
  type LiveState,
  makeLiveState,
  pushControl,
  pushLine,
  sendRequest,
  writeInterrupt
} from "./liveState.ts"
import { answer, decide, reply } from "./requests.ts"

type Outputs = ReadonlyArray<Output>

const wanted = (change: Change) =>
  change._tag === "Model"
    ? { subtype: "set_model", model: change.model }
    : { subtype: "set_permission_mode", mode: permissionModes[change.permissionMode] }

const decided = (live: LiveState, requestId: string, decision: Decision): Outputs => {
  const outputs = decide(live.requests, requestId, decision)
  if (outputs.length > 0 && decision.decision === "deny" && decision.interrupt === true) live.interrupts.expect()
  return outputs
}

const standing = ({ isOpen, deliveries, transcript }: LiveState): Standing => {
  if (!isOpen) return "opening"
  if (deliveries.isUnderWay()) return "working"
  return transcript.hasBackground() ? "background" : "resting"
}

/** `newUuid` names the texts that are delivered. */
export const makeDialogue = (params: AgentOpenParams, newUuid: () => string = () => crypto.randomUUID()): Dialogue => {
  const live = makeLiveState(params)

  const deliver = (text: string, kind: "turn" | "steer"): Outputs => {
    const uuid = newUuid()
    live.deliveries.wrote(uuid, kind)
    return [{ _tag: "Write", json: userLine(uuid, disarmed(text, params.slashCommands)) }]
  }

  return {
    open: () => sendRequest(live, { _tag: "Open" }, handshake(params)),
    push: (json) => (isControl(json) ? pushControl(live, json) : pushLine(live, json)),
    turn: (prompt) => {
      const reason = promptProblem(prompt)
      if (reason === undefined) return deliver(prompt, "turn")
      return [{ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: {} }]
    },
    steer: (text) => {
      const isPossible = live.deliveries.isUnderWay() && promptProblem(text) === undefined
      return isPossible ? deliver(text, "steer") : undefined
    },
    interrupt: () => (live.deliveries.isUnderWay() && live.interrupts.ask() ? writeInterrupt(live) : []),
    decide: (requestId, decision) => decided(live, requestId, decision),
    answer: (requestId, answers) => answer(live.requests, requestId, answers),
    change: (changeId, change) => sendRequest(live, { _tag: "Change", id: changeId }, wanted(change)),
    reply: (callId, given) => reply(live.requests, callId, given),
    standing: () => standing(live),
    report: live.transcript.report
  }
}
