/** Claude Code's side of a live session (2.1.328): wishes of the caller → lines to write, beside what its lines do. */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision } from "../../../contract/Ask.ts"
import type { Change, Dialogue, LiveStanding, Output } from "../../Live.ts"
import { permissionModes } from "../command/arguments.ts"
import { disarmed, promptProblem } from "../command/prompt.ts"
import { userLine } from "./control.ts"
import { handshake } from "./handshake.ts"
import { answer, decide, reply } from "./requests.ts"
import { isControl, makeTalk, pushControl, pushLine, type Talk, wish, writeInterrupt } from "./talk.ts"

type Outputs = ReadonlyArray<Output>

const wanted = (change: Change) =>
  change._tag === "Model"
    ? { subtype: "set_model", model: change.model }
    : { subtype: "set_permission_mode", mode: permissionModes[change.permissionMode] }

const decided = (talk: Talk, requestId: string, decision: Decision): Outputs => {
  const outputs = decide(talk.requests, requestId, decision)
  if (outputs.length > 0 && decision.decision === "deny" && decision.interrupt === true) talk.interrupts.expect()
  return outputs
}

const standing = ({ isOpen, deliveries, transcript }: Talk): LiveStanding => {
  if (!isOpen) return "opening"
  if (deliveries.isUnderWay()) return "working"
  return transcript.hasBackground() ? "background" : "resting"
}

/** `newUuid` names the texts that are delivered. */
export const makeDialogue = (params: AgentOpenParams, newUuid: () => string = () => crypto.randomUUID()): Dialogue => {
  const talk = makeTalk(params)

  const deliver = (text: string, kind: "turn" | "steer"): Outputs => {
    const uuid = newUuid()
    talk.deliveries.wrote(uuid, kind)
    return [{ _tag: "Write", json: userLine(uuid, disarmed(text, params.slashCommands)) }]
  }

  return {
    open: () => wish(talk, { _tag: "Open" }, handshake(params)),
    push: (json) => (isControl(json) ? pushControl(talk, json) : pushLine(talk, json)),
    turn: (prompt) => {
      const reason = promptProblem(prompt)
      if (reason === undefined) return deliver(prompt, "turn")
      return [{ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: {} }]
    },
    steer: (text) => {
      const isPossible = talk.deliveries.isUnderWay() && promptProblem(text) === undefined
      return isPossible ? deliver(text, "steer") : undefined
    },
    interrupt: () => (talk.deliveries.isUnderWay() && talk.interrupts.ask() ? writeInterrupt(talk) : []),
    decide: (requestId, decision) => decided(talk, requestId, decision),
    answer: (requestId, answers) => answer(talk.requests, requestId, answers),
    change: (changeId, change) => wish(talk, { _tag: "Change", id: changeId }, wanted(change)),
    reply: (callId, given) => reply(talk.requests, callId, given),
    standing: () => standing(talk),
    report: talk.transcript.report
  }
}
