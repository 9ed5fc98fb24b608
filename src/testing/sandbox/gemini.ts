/**
 * Gemini CLI (0.61.0) learns of the server by a variable, and of the rest by its settings: without a way to sign in, a
 * base URL makes it guess another one; without a model, it asks one which to take.
 */
import type { Lead, Surroundings } from "./lead.ts"

export const geminiSurroundings = ({ url, retries, key }: Lead): Surroundings => {
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, maxAttempts: retries + 1 },
    model: { name: "gemini-2.5-flash" }
  }
  return {
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    files: { ".gemini/settings.json": JSON.stringify(settings) }
  }
}
