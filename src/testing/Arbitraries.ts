/**
 * For property tests of code that hears an agent: every event, whole runs, what the CLIs print, and what happens to
 * conversations; of Effect's `Arbitrary`, which shrinks what fails. `Arbitrary.checkEffect(Arbitraries.run, (events) => …)`.
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
export { run } from "./arbitraries/run.ts"
export { type Wire, type WireTool, wire } from "./arbitraries/wire.ts"
