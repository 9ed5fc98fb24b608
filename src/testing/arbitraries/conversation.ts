/** Plans of conversations: turns of two hosts that answer, fail, lose their session or hang; kills; clock changes. */
import { Arbitrary, Schema } from "effect"

const Host = Schema.Literals([0, 1])

/**
 * - `answers`: with a text. `fails`: with a failure of its own, before a word. `refuses`: with one that may pass, before a
 *   word.
 * - `loses`: the CLI no longer has the session that it is to go on with. `isEmpty`: it succeeds without a turn.
 * - `hangs`: it is at work until its host is killed.
 */
const Course = Schema.Literals([
  "answers", "answers", "answers", "fails", "refuses", "loses", "isEmpty", "hangs", "hangs"
]) // biome-ignore format: one list

const Turn = Schema.Struct({
  type: Schema.Literal("turn"),
  host: Host,
  conversation: Schema.Literals(["a", "a", "a", "b"]),
  /** Few ids, so that they repeat, also with another prompt. Null for an id of its own. */
  turnId: Schema.NullOr(Schema.Literals(["t1", "t1", "t2"])),
  prompt: Schema.Literals(["p1", "p1", "p1", "p2"]),
  fresh: Schema.Literals([false, false, false, true]),
  fork: Schema.Literals([false, false, false, true]),
  onInterrupted: Schema.Literals(["fail", "fail", "continue", "again"]),
  onMissing: Schema.Literals(["fresh", "fresh", "fail"]),
  course: Course
})

const Kill = Schema.Struct({ type: Schema.Literal("kill"), host: Host })
/** Days; below 0 the clock is set back. */
const Clock = Schema.Struct({ type: Schema.Literal("clock"), days: Schema.Literals([-1, 1, 3, 6, 8]) })
const ConversationStep = Schema.Union([Turn, Turn, Turn, Turn, Kill, Kill, Clock])
/** A requested turn. */
export type ConversationTurnStep = typeof Turn.Type
/** One happening; they come in order. */
export type ConversationStep = typeof ConversationStep.Type

/** At most twelve things that happen to the conversations `a` and `b` on two hosts. */
export const conversation: Arbitrary.Arbitrary<ReadonlyArray<ConversationStep>> = Arbitrary.schema(
  Schema.Array(ConversationStep).check(Schema.isMinLength(1), Schema.isMaxLength(12))
)
