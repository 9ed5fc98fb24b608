// Why a run fails: the reasons of `AgentError`, each with its word in a result, its category and what it means.
import { Arbitrary, Effect } from "effect"
import { SpawnFailed } from "../../../src/contract/AgentError.ts"
import { FailureReason, runReason } from "../../../src/contract/FailureReason.ts"
import { docstringsOf } from "../kit/docstrings.ts"
import { code, table } from "../kit/markdown.ts"

/** Category and `retryable` are made of the fields of a reason: many of each are looked at. */
const sampled = await Effect.runPromise(
  Arbitrary.sampleEffect(Arbitrary.schema(FailureReason), { count: 2000, size: 10, seed: 1 })
)
/** By chance no word of the system comes up that is one of those that pass. */
const passing = new SpawnFailed({ command: "claude", problem: "", errno: "EAGAIN" })
const samples = [...sampled, passing]

const one = (values: ReadonlyArray<string>, otherwise: string) => {
  const [first = "", ...others] = new Set(values)
  return others.length === 0 ? first : otherwise
}

export const reasonsTable = () =>
  table(
    ["`_tag` of the reason", "`result.reason`", "category", "`retryable`", "what happened"],
    Object.entries(runReason).map(([tag, word]) => {
      const mine = samples.filter((reason) => reason._tag === tag)
      return [
        code(tag),
        code(word),
        one(
          mine.map(({ category }) => code(category)),
          "as reported"
        ),
        one(
          mine.map(({ retryable }) => (retryable ? "yes" : "no")),
          "it depends"
        ),
        docstringsOf(tag).about
      ]
    })
  )
