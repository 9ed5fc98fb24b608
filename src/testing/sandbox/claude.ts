/** Claude Code (2.1.328) learns of the server by variables. Switched off: telemetry, updates, all but the model. */
import type { Lead, Surroundings } from "./lead.ts"

export const claudeSurroundings = ({ url, retries, key }: Lead): Surroundings => ({
  env: {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1"
  },
  files: {}
})
