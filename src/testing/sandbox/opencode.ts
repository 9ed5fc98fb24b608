/**
 * OpenCode (1.18.33) learns of the server by configuration in a variable. Switched off: every request but those to the
 * model. The first run in a fresh home takes some seconds longer, and several first runs at once lock each other out.
 */
import type { Lead, Surroundings } from "./lead.ts"

export const opencodeSurroundings = ({ url, key }: Lead): Surroundings => {
  const modalities = { input: ["text", "image", "pdf"], output: ["text"] }
  const model = {
    reasoning: true,
    modalities,
    limit: { context: 128_000, output: 8_000 },
    cost: { input: 1, output: 2 }
  }
  const options = { baseURL: `${url}/v1`, apiKey: key }
  const config = {
    provider: { fake: { npm: "@ai-sdk/openai-compatible", options, models: { m1: model } } },
    model: "fake/m1",
    small_model: "fake/m1",
    share: "disabled",
    autoupdate: false
  }
  return {
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1"
    },
    files: {}
  }
}
