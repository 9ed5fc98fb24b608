/** The same for the plain door: an agent that gives the events of the test. */
import type { PlainAgent } from "reins/promise"
import { testAgent } from "reins/testing"

/** The code under test. */
const toolsOf = async (agent: PlainAgent, prompt: string) => {
  const tools: Array<string> = []
  for await (const event of agent.execute({ prompt })) if (event.type === "tool_use") tools.push(event.toolName)
  return tools
}

await using agent = testAgent([
  { type: "session", sessionId: "s-1" },
  { type: "tool_use", toolName: "Read", toolId: "t-1", input: { file_path: "a.txt" } },
  { type: "tool_result", toolId: "t-1", output: "hello", isError: false },
  { type: "text", text: "The file says hello." }
])

console.log(await toolsOf(agent, "What does a.txt say?"), (await agent.run({ prompt: "And?" })).text)
