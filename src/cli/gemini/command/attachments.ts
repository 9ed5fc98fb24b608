/**
 * Attachments of one headless run of `gemini` (0.61.0), which knows files only by `@path` in the prompt, inside its
 * workspace: copies in a directory that is added to it. It shows the model images without names and in the order of
 * their names, which is that of the attachments; so are the paths behind the prompt. Pure.
 */
import { type FailureReason, InvalidParams } from "../../../contract/AgentError.ts"
import type { Argument, Plan, PlanContext } from "../../../contract/Plan.ts"
import { isListItem } from "./refusals.ts"

interface Attached {
  readonly args: ReadonlyArray<Argument>
  /** To follow the prompt. */
  readonly references: string
  readonly plan: Pick<Plan, "attachmentDirectory">
  readonly problem?: FailureReason
}

const name = "attachments"

/** In a path behind `@`. */
const escaped = (path: string) => path.replace(/[\x20-\x2c:-@[-^`{-~]/g, "\\$&")

export const attached = ({ privateDirectory, attachments = [] }: PlanContext): Attached => {
  if (attachments.length === 0) return { args: [], references: "", plan: {} }
  const directory = `${privateDirectory}/${name}`
  const paths = attachments.map(({ fileName }) => `@${escaped(`${directory}/${fileName}`)}`)
  const isPlain = isListItem(directory) && !/[\n\r*?[\]{}\\]/.test(directory)
  const problem = `${JSON.stringify(directory)} has a comma, a wildcard or a line break: the CLI would not find attachments`
  return {
    args: [{ option: "attachments", text: `--include-directories=${directory}` }],
    references: `\n\n${paths.join("\n")}`,
    plan: { attachmentDirectory: name },
    ...(isPlain ? {} : { problem: new InvalidParams({ option: "env TMPDIR", problem }) })
  }
}
