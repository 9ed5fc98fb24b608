/**
 * Permission modes of a live session in the words of `app-server` (0.169.0). Only `untrusted` asks for every command and patch;
 * accepted ones still run in the sandbox. The rest of the modes is decided in `approvals.ts`.
 */
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"

interface Mode {
  readonly approvalPolicy: "untrusted" | "never"
  readonly sandbox: "read-only" | "workspace-write" | "danger-full-access"
}

export const modes: Readonly<Record<PermissionMode, Mode>> = {
  default: { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  plan: { approvalPolicy: "untrusted", sandbox: "read-only" },
  "accept-edits": { approvalPolicy: "untrusted", sandbox: "workspace-write" },
  bypass: { approvalPolicy: "never", sandbox: "danger-full-access" }
}

/** Only a Codex that asks for everything is as strict as a mode of Reins. */
export const reportedMode = (words: string): PermissionMode | undefined => {
  if (words === "untrusted readOnly") return "plan"
  return words === "untrusted workspaceWrite" ? "default" : undefined
}

const sandboxPolicy = (sandbox: Mode["sandbox"], writableRoots: ReadonlyArray<string>) => {
  if (sandbox === "read-only") return { type: "readOnly", networkAccess: false }
  if (sandbox === "danger-full-access") return { type: "dangerFullAccess" }
  const temporary = { excludeTmpdirEnvVar: false, excludeSlashTmp: false }
  return { type: "workspaceWrite", writableRoots, networkAccess: false, ...temporary }
}

/** For `turn/start`: holds from that turn on. */
export const settingsOf = (mode: PermissionMode, writableRoots: ReadonlyArray<string>) => {
  const { approvalPolicy, sandbox } = modes[mode]
  return { approvalPolicy, sandboxPolicy: sandboxPolicy(sandbox, writableRoots) }
}

/** Files in them are run later, by git or by Codex itself; its sandboxed commands may not write there, either. */
const guarded: ReadonlySet<string> = new Set([".git", ".codex", ".agents"])

/** Whether a path is an ordinary one below the first of these directories, or one of the others. */
export const isInside = (directories: ReadonlyArray<string>, path: string): boolean => {
  const [base = "/"] = directories
  return directories.some((directory) => {
    const inner = relative(resolve(base, directory), resolve(base, path))
    const names = inner.split(sep)
    return inner !== "" && names[0] !== ".." && !isAbsolute(inner) && !names.some((name) => guarded.has(name))
  })
}
