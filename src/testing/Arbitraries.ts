/**
 * For property tests of code that hears an agent: every event, whole runs, and what the CLIs print; of Effect's
 * `Arbitrary`, which shrinks what fails. `Arbitrary.checkEffect(Arbitraries.run, (events) => …)`.
 */
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
