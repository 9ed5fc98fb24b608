/** A scripted model, here asked by `fetch`; `server.url` is also where a real CLI can be led, with `sandboxFor`. */
import { Answer, ModelServer } from "reins/testing"

await using server = await ModelServer.messages([
  Answer.fail(429, { headers: { "retry-after": "1" } }),
  Answer.say("Hello from a script.")
])

const ask = async (words: string) => {
  const messages = [{ role: "user", content: words }]
  const body = JSON.stringify({ model: "any", max_tokens: 100, messages })
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body })
  return `${response.status} ${await response.text()}`
}

console.log(await ask("one"))
console.log(JSON.parse((await ask("two")).slice(4)).content)
console.log(server.requests.map(({ nth, prompt }) => `${nth}: ${prompt}`))
