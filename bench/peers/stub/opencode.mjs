/**
 * OpenCode (1.18.33) in the mode that the package asks for: `run`, `acp` or `serve`. As the real one it dies at once by
 * a stop signal and leaves its tool behind.
 */
import { note, value } from "./cell.mjs"

const modes = { run: "./opencode-run.mjs", acp: "./opencode-acp.mjs", serve: "./opencode-serve.mjs" }

note("cli")
await import(modes[value[0]])
