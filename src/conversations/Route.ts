/** Which CLI answers a message, and in which session. Pure, for both doors. */
import { InvalidParams } from "../contract/AgentError.ts"
import type { CliId } from "../contract/CliSupport.ts"
import type { OwnCli } from "../contract/PlainAgent.ts"
import type { Route, RouteQuestion, RouteReason } from "../contract/Route.ts"
import { type ResumableClis, resumableClis } from "./ResumeLine.ts"

type Choice = Omit<Route, "cli"> & { readonly cli: string }

/** Returns undefined if nothing names a CLI. */
const chooseRoute = (question: RouteQuestion, { find }: ResumableClis): Choice | undefined => {
  const { text, reply, directive, conversation = {}, defaults = {} } = question
  const inText = find(text, { quotes: false })
  if (inText !== undefined) return { ...inText, because: "text" }
  const inReply = reply?.isOurs === true ? find(reply.text, { quotes: true }) : undefined
  if (inReply !== undefined) return { ...inReply, because: "reply" }
  const { topic, chat } = conversation
  const { project, global } = defaults
  const chosen = { directive, topic, chat, project, global } as const
  for (const because of ["directive", "topic", "chat", "project", "global"] as const) {
    const cli = chosen[because]
    if (cli !== undefined) return { cli, because }
  }
  return undefined
}

const optionOf: Readonly<Record<RouteReason, string>> = {
  text: "text",
  reply: "reply",
  directive: "directive",
  topic: "conversation.topic",
  chat: "conversation.chat",
  project: "defaults.project",
  global: "defaults.global"
}

/**
 * The first that is present of: a resume line of the message, a resume line of our message that it replies to, the
 * directive, the choice of the topic, the choice of the chat, the default of the project, the global default. Throws
 * `InvalidParams` if that is neither one of the CLIs that Reins knows nor one of `clis`, or if none is present; the message
 * lists them.
 */
export const route = <Own extends OwnCli = never>(question: RouteQuestion<Own>): Route<CliId | Own["id"]> => {
  const known = resumableClis(question.clis)
  const choice = chooseRoute(question, known)
  if (choice !== undefined) return { ...choice, cli: known.named(choice.cli, optionOf[choice.because]) }
  throw new InvalidParams({ option: "defaults.global", problem: `is missing: name one of ${known.ids.join(", ")}` })
}
