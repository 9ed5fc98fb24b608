/** Which of the four CLIs answers a message, and in which session. Pure, for both doors. */
import { InvalidParams } from "../contract/AgentError.ts"
import type { Route, RouteQuestion, RouteReason } from "../contract/Route.ts"
import { cliIds, findResumeLine, knownCli } from "./ResumeLine.ts"

type Choice = Omit<Route, "cli"> & { readonly cli: string }

/** Returns undefined if nothing names a CLI. */
const chooseRoute = (question: RouteQuestion): Choice | undefined => {
  const { text, reply, directive, conversation = {}, defaults = {} } = question
  const inText = findResumeLine(text, { quotes: false })
  if (inText !== undefined) return { ...inText, because: "text" }
  const inReply = reply?.isOurs === true ? findResumeLine(reply.text, { quotes: true }) : undefined
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
 * `InvalidParams` if that is not one of the four CLIs, or if none is present; the message lists the four.
 */
export const route = (question: RouteQuestion): Route => {
  const choice = chooseRoute(question)
  if (choice !== undefined) return { ...choice, cli: knownCli(choice.cli, optionOf[choice.because]) }
  throw new InvalidParams({ option: "defaults.global", problem: `is missing: name one of ${cliIds.join(", ")}` })
}
