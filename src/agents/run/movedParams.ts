/** Parameters for the same work in a worktree: other paths, and the project, stay those of the original directory; pure. */
import { resolve } from "node:path"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"

type Placed = Pick<AgentExecuteParams, "attachments" | "additionalDirectories" | "account" | "workingDirectory">

/** `from`: the original directory. */
export const movedParams = <Params extends Placed>(
  { attachments, additionalDirectories, account, ...params }: Params,
  from: string,
  workingDirectory: string
) => ({
  ...params,
  workingDirectory,
  account: { ...account, project: account?.project ?? from },
  ...(attachments === undefined
    ? {}
    : { attachments: attachments.map((one) => ("path" in one ? { ...one, path: resolve(from, one.path) } : one)) }),
  ...(additionalDirectories === undefined
    ? {}
    : { additionalDirectories: additionalDirectories.map((path) => resolve(from, path)) })
})
