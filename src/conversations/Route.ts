/** Which of the four CLIs answers a message, and in which session. Pure, for both doors. */
import { InvalidParams } from "../contract/AgentError.ts"
import type { Route, RouteQuestion, RouteReason } from "../contract/Route.ts"
import { cliIds, findResumeLine, knownCli } from "./ResumeLine.ts"
import { chooseRoute } from "./turns/router.ts"

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
 * The first of these that there is: a resume line of the message, one of the message of ours that it replies to, the
 * directive, the choice of the topic, of the chat, the default of the project, the global one. Throws `InvalidParams` where
 * that is none of the four CLIs, and where there is none; the message lists the four.
 */
export const route = (question: RouteQuestion): Route => {
  const choice = chooseRoute(findResumeLine, question)
  if (choice !== undefined) return { ...choice, cli: knownCli(choice.cli, optionOf[choice.because]) }
  throw new InvalidParams({ option: "defaults.global", problem: `is missing: name one of ${cliIds.join(", ")}` })
}
