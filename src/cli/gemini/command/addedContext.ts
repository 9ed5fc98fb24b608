/**
 * `appendSystemPrompt` → a `GEMINI.md` in a directory of its own, which joins the workspace (Gemini CLI 0.61.0); pure. The CLI
 * cannot add to its system prompt, but reads such a file of every directory of a trusted workspace, after those of the user.
 */
import { Result } from "effect"
import type { InvalidParams } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Plan, PlanFile } from "../../../contract/Plan.ts"
import { invalid, value, zeroWidth } from "../../commandLine.ts"
import { isListItem, needsContext } from "./refusals.ts"

type Params = Pick<AgentOpenParams, "systemPrompt" | "appendSystemPrompt">

export type PlanParts = Required<Pick<Plan, "args" | "files" | "directories">>

const directoryName = "context"

/**
 * Ends the search for context files in the directories above, as the root of a repository does: otherwise a `.git` that another
 * user made in the temporary directory would add the `GEMINI.md` beside it.
 */
export const boundaryOf = (directory: string): PlanFile => ({ name: `${directory}/.git`, content: "" })

/** `@path` in a context file is replaced by that file, or by a remark that it cannot be. */
const withoutImports = (text: string) => text.replace(/(?<![^ \t\r\n])@(?=[./A-Za-z])/g, `@${zeroWidth}`)

/** The whole system prompt, if it replaces the CLI's own. */
export const systemPromptOf = ({ systemPrompt, appendSystemPrompt = "" }: Params): string | undefined =>
  systemPrompt === undefined || appendSystemPrompt.trim() === ""
    ? systemPrompt
    : [systemPrompt, appendSystemPrompt].filter((text) => text.trim() !== "").join("\n\n")

export const addedContext = (params: Params, privateDirectory: string): Result.Result<PlanParts, InvalidParams> => {
  if (!needsContext(params)) return Result.succeed({ args: [], files: [], directories: [] })
  const directory = `${privateDirectory}/${directoryName}`
  if (!isListItem(directory)) {
    const problem = `${JSON.stringify(directory)} has a comma, or a blank at an end: the CLI would not find appendSystemPrompt`
    return Result.fail(invalid("env TMPDIR", problem))
  }
  const content = withoutImports(params.appendSystemPrompt ?? "")
  return Result.succeed({
    args: value("appendSystemPrompt", "--include-directories", directory),
    files: [{ name: `${directoryName}/GEMINI.md`, content }, boundaryOf(directoryName)],
    directories: [directoryName]
  })
}
