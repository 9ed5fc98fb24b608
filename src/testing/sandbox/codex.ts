/**
 * Codex (0.169.0) learns of the server by the configuration in its home, as of any other provider, and prints the same
 * there as with its own.
 */
import type { Lead, Surroundings } from "./lead.ts"

export const codexSurroundings = ({ url, retries, key }: Lead): Surroundings => {
  const lines = [
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "CODEX_API_KEY"',
    "request_max_retries = 0",
    `stream_max_retries = ${retries}`
  ]
  return { env: { CODEX_API_KEY: key }, files: { ".codex/config.toml": `${lines.join("\n")}\n` } }
}
