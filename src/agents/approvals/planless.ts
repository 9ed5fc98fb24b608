import { acpAgentIds } from "../../contract/CliSupport.ts"

/** CLIs that never ask for approval of a plan: in plan mode they only read. */
export const planless: ReadonlySet<string> = new Set(["codex", "opencode", "pi", "acp", ...acpAgentIds])
