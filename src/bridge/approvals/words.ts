/** Texts about requests and questions of agents: short, since they appear on buttons and alerts. */
import { editsScope } from "../../agents/approvals/plannedEdits.ts"
import type { DecidedBy, PermissionDecisionEvent, QuestionAnswerEvent } from "../../contract/SessionEvent.ts"
import { oneLine, shortLine } from "../../contract/text/harmless.ts"

export const words = {
  answeredBy: (person: string) => `already answered by ${person}`,
  /** The person's name is unknown. */
  answered: "already answered",
  over: "this question is over",
  notYours: "not yours to answer",
  /** For a button of an earlier state. */
  gone: "this choice is no longer there",
  chooseFirst: "choose something first",
  sending: "sending all of it",
  taken: "taken",
  /** For the agent. */
  late: "No answer in time.",
  denied: "Denied: no answer in time",
  unanswered: "Not answered: no answer in time",
  /** Why it is over. */
  restarted: "over: the host was restarted",
  ended: "over: the session has ended",
  withdrawn: "over: the agent no longer asks"
} as const

const longestAnswer = 200

/** For decisions without a person's name. */
const others: { readonly [By in DecidedBy]: string } = {
  caller: "",
  handler: " by the application",
  rule: " by a rule",
  memory: " as before",
  deadline: ": no answer in time",
  agent: "",
  end: ""
}

/** ` by Ann`, and where, unless it was here. */
const origin = (event: PermissionDecisionEvent | QuestionAnswerEvent, here: string): string => {
  const { by, person, where } = event
  const place = where === undefined || where === here ? "" : ` (${oneLine(where)})`
  return person === undefined ? `${others[by]}${place}` : ` by ${oneLine(person)}${place}`
}

/** How a request ended, for its message. `here`: the id of its channel; `isOutline`: a person chose *Outline*. */
export const endLine = (
  event: PermissionDecisionEvent | QuestionAnswerEvent,
  here: string,
  isOutline: boolean
): string => {
  if (event.by === "end") return words.ended
  if (event.by === "agent") return words.withdrawn
  if (event.type === "question_answer") {
    const answers = Object.values(event.answers ?? {}).flat()
    if (event.answers === undefined) return `Not answered${origin(event, here)}`
    return `Answered${origin(event, here)}: ${shortLine(answers.join(", "), longestAnswer)}`
  }
  if (event.decision === "withdrawn") return words.withdrawn
  // For the agent, it is a denial that asks for an outline.
  if (event.decision === "deny" && isOutline) return `An outline is asked for${origin(event, here)}`
  if (event.decision === "deny") return `Denied${origin(event, here)}`
  if (event.remembered === editsScope) return `Allowed with its edits${origin(event, here)}`
  return `${event.remembered === undefined ? "Allowed" : "Always allowed"}${origin(event, here)}`
}
