/**
 * For property tests of code that hears an agent or people: every event, whole runs, what the CLIs print, what happens to
 * conversations, and what channels hear; of Effect's `Arbitrary`, which shrinks what fails. `Arbitrary.checkEffect(Arbitraries.run, (events) => …)`.
 */
export { type ConversationStep, type ConversationTurnStep, conversation } from "./arbitraries/conversation.ts"
export {
  done,
  error,
  event,
  notice,
  permissionDecision,
  permissionRequest,
  plan,
  question,
  questionAnswer,
  session,
  text,
  thinking,
  toolResult,
  toolUse,
  turnDone,
  unknown,
  usage
} from "./arbitraries/events.ts"
export { channelMessage, incoming } from "./arbitraries/incoming.ts"
export { run } from "./arbitraries/run.ts"
export { type Wire, type WireTool, wire } from "./arbitraries/wire.ts"
