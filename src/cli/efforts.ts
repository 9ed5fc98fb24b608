/** How much a model can be asked to think, in the words of a CLI, and the refusal of a word that is none of them. */
import { InvalidParams } from "../contract/AgentError.ts"

export const effortProblem = (
  efforts: ReadonlyArray<string>,
  effort: string | undefined
): InvalidParams | undefined => {
  if (effort === undefined || efforts.includes(effort)) return undefined
  return new InvalidParams({
    option: "effort",
    problem: `${JSON.stringify(effort.slice(0, 100))} is none of ${efforts.join(", ")}`
  })
}
