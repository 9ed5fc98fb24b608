/** The page in Chromium on the real server, with a bridge and a scripted agent behind it: nothing between is replaced. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { type Browser, startBrowser } from "../../tools/browser/browser.ts"
import type { Page } from "../../tools/browser/page.ts"
import { openPage, type Script } from "../channels/web/page.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })
const request: AgentEvent = {
  ...{ type: "permission_request", requestId: "1", toolId: "t1", toolName: "Bash", kind: "command" },
  ...{ input: { command: "rm -rf build" }, title: "rm -rf build", command: "rm -rf build", escalated: false },
  scopes: [{ id: "exact", label: "this exact command", covers: "this exact command, until this session ends" }]
}
const steps: ReadonlyArray<AgentEvent> = [
  {
    type: "tool_use",
    toolName: "Bash",
    toolId: "t1",
    input: { command: "npm test" },
    kind: "command",
    title: "npm test"
  },
  { type: "tool_result", toolId: "t1", output: "ok", isError: false },
  text("All is **well**.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
]

/** Says something, then waits until it may go on. */
const makeAgent = Effect.gen(function* () {
  const may = yield* Deferred.make<void>()
  const waiting = (rest: ReadonlyArray<AgentEvent>) =>
    Stream.make(text("First, I look. ")).pipe(
      Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(may)))),
      Stream.concat(Stream.fromIterable(rest))
    )
  const script: Script = ({ prompt }) => {
    if (prompt.includes("clean up")) return [request, text("Cleaned.")]
    if (prompt.includes("for ever")) return Stream.concat(Stream.make(text("At it.")), Stream.never)
    return prompt.includes("look") ? waiting(steps) : [text(`You said ${prompt}.`)]
  }
  return { script, go: Deferred.succeed(may, undefined) }
})

const has = (words: string) => `document.querySelector("main").innerText.includes(${JSON.stringify(words)})`
const say = async (page: Page, words: string) => {
  await page.evaluate(`document.querySelector("#prompt").focus()`)
  await page.type(words)
  await page.press("Enter")
}
const inPage = <A>(work: () => Promise<A>) => Effect.promise(work)

describe("the page on its server", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(process.env["REINS_CHROMIUM"] ?? "chromium")
  })
  afterAll(() => browser[Symbol.asyncDispose]())
  const tab = (url: string) =>
    Effect.acquireRelease(
      Effect.promise(() => browser.page(url)),
      (page) =>
        Effect.promise(async () => {
          await page.close()
          assert.deepStrictEqual(page.problems, [])
        })
    )

  it.live("sends, streams, reloads, approves in one of two tabs, and stops", () =>
    Effect.gen(function* () {
      const { script, go } = yield* makeAgent
      const { url } = yield* openPage({ script })
      const page = yield* tab(url)
      yield* inPage(async () => {
        await page.until(`!document.querySelector("#start").hidden`)
        await say(page, "Please look.")
        await page.until(has("First, I look."))
        await page.until(`document.title.startsWith("● Please look.")`)
        assert.strictEqual(await page.evaluate(`document.querySelector("#run").hidden`), false)
      })
      yield* go
      const here = yield* inPage(async () => {
        await page.until(`document.querySelector(".turn-foot")?.innerText.startsWith("Done")`)
        assert.strictEqual(await page.evaluate(`document.querySelectorAll(".prose table td").length`), 2)
        assert.strictEqual(await page.evaluate(`document.querySelectorAll(".step").length`), 1)
        const visible = await page.evaluate<string>(`document.querySelector("#log").innerText`)
        await page.open(`${url.split("#")[0]}?again${await page.evaluate("location.hash")}`)
        await page.until(has("All is well."))
        await page.until(`document.querySelector(".turn-foot")`)
        assert.strictEqual(await page.evaluate(`document.querySelector("#log").innerText`), visible)
        return page.evaluate<string>("location.hash")
      })
      const other = yield* tab(`${url}&${here.slice(1)}`)
      yield* inPage(async () => {
        await other.until(has("All is well."))
        await say(other, "Now clean up.")
        for (const each of [page, other])
          await each.until(`document.querySelector(".card.request")?.innerText.includes("rm -rf build")`)
        await page.until(`(window.since ??= performance.now()) + 700 < performance.now()`)
        await page.click("text=Allow once")
        for (const each of [page, other]) {
          await each.until(`document.querySelector(".decided")?.innerText.includes("by you")`)
          await each.until(has("Cleaned."))
          assert.strictEqual(await each.evaluate(`document.querySelectorAll(".message").length`), 2)
        }
        await say(page, "Go on for ever.")
        await page.until(has("At it."))
        await page.click(".stop")
        for (const each of [page, other])
          await each.until(`[...document.querySelectorAll(".turn-foot")].at(-1)?.innerText.startsWith("Stopped")`)
        assert.strictEqual(await page.evaluate(`document.querySelectorAll("#unsent .message").length`), 0)
      })
    }).pipe(Effect.scoped)
  )

  it.live(
    "goes on by itself after a restart: what was interrupted is asked, what was written meanwhile is sent once",
    () =>
      Effect.gen(function* () {
        const { script } = yield* makeAgent
        const stored = Layer.succeed(Store, Context.get(yield* Layer.build(Store.layerMemory()), Store))
        const token = "k".repeat(43)
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const { url, port } = yield* openPage({ script, store: stored, listen: { token } })
            const page = yield* Effect.promise(() => browser.page(url))
            yield* inPage(async () => {
              await page.until(`!document.querySelector("#start").hidden`)
              await say(page, "Work for ever.")
              await page.until(has("At it."))
            })
            return { page, port }
          })
        )
        const { page, port } = first
        yield* inPage(async () => {
          await page.until(`document.querySelector("#link").innerText.includes("Connection lost")`)
          await say(page, "Written meanwhile.")
          await page.until(has("Not sent yet"))
        })
        yield* openPage({
          script: ({ prompt }) => [text(`You said ${prompt}.`)],
          store: stored,
          listen: { token, port }
        })
        yield* inPage(async () => {
          await page.until(
            `document.querySelector("#link").hidden || document.querySelector("#link").innerText.includes("Connected again")`
          )
          await page.until(has("Written meanwhile.."))
          await page.until(`!document.querySelector("#unsent .message")`)
          const messages = await page.evaluate<ReadonlyArray<string>>(
            `[...document.querySelectorAll(".message .bubble")].map((each) => each.innerText)`
          )
          assert.deepStrictEqual(messages, ["Work for ever.", "Written meanwhile."])
          await page.close()
          assert.deepStrictEqual(page.problems, [])
        })
      }).pipe(Effect.scoped)
  )
})
