/**
 * One tab, as tests use it: evaluate in the page, press keys, click, wait until something is true, take a picture. What the
 * page's console and its policy complain about is kept in `problems`; a test that ends with any has found a defect.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import type { DevTools } from "./devTools.ts"
import { type Key, keyEvents } from "./keys.ts"

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly scheme?: "light" | "dark"
  readonly touch?: boolean
  readonly reducedMotion?: boolean
  /** The browser says that it runs on a Mac. */
  readonly mac?: boolean
}

export interface Page {
  /** The value of an expression in the page, awaited, as JSON. */
  readonly evaluate: <A = unknown>(expression: string) => Promise<A>
  /** Waits until the expression is truthy, and gives it. */
  readonly until: <A = unknown>(expression: string, what?: string) => Promise<A>
  readonly open: (url: string) => Promise<void>
  readonly size: (width: number, height: number) => Promise<void>
  readonly prefer: (options: PageOptions) => Promise<void>
  /** Presses one key, as `Alt+KeyA`, `Enter`, `Tab`. */
  readonly press: (key: Key) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** A real click in the middle of the first element that the selector (or text of a button) names. */
  readonly click: (selector: string) => Promise<void>
  readonly picture: (file: string) => Promise<void>
  readonly send: DevTools["send"]
  readonly problems: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

const untilMs = 10_000

export const openPage = async (devTools: DevTools, url: string, options: PageOptions = {}): Promise<Page> => {
  const { browserContextId } = await devTools.send("Target.createBrowserContext")
  const { targetId } = await devTools.send("Target.createTarget", { url: "about:blank", browserContextId })
  const { sessionId } = await devTools.send("Target.attachToTarget", { targetId, flatten: true })
  const session = String(sessionId)
  const send: DevTools["send"] = (method, params) => devTools.send(method, params, session)
  const problems: Array<string> = []
  devTools.on(session, (method, params) => {
    if (method === "Runtime.exceptionThrown") problems.push(`exception: ${JSON.stringify(params["exceptionDetails"])}`)
    if (method === "Log.entryAdded") {
      const entry = params["entry"] as { level: string; text: string; source: string }
      // The network's own failures are what some tests are about.
      if (entry.level === "error" && entry.source !== "network") problems.push(`${entry.source}: ${entry.text}`)
    }
    if (method === "Page.javascriptDialogOpening") {
      problems.push(`dialog: ${params["message"]}`)
      void send("Page.handleJavaScriptDialog", { accept: true })
    }
  })
  for (const domain of ["Page", "Runtime", "Log"]) await send(`${domain}.enable`)

  const evaluate = async <A>(expression: string): Promise<A> => {
    const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
    const failure = answer["exceptionDetails"] as { exception?: { description?: string }; text: string } | undefined
    if (failure !== undefined)
      throw new Error(`${expression.slice(0, 200)}: ${failure.exception?.description ?? failure.text}`)
    return (answer["result"] as { value: A }).value
  }
  /** The page itself looks at each frame; nothing here sleeps. */
  const until = <A>(expression: string, what = expression): Promise<A> =>
    evaluate<A>(`new Promise((resolve, reject) => {
      const end = performance.now() + ${untilMs}
      const look = () => {
        let found
        try { found = (${expression}) } catch {}
        if (found) resolve(found)
        else if (performance.now() > end) reject(new Error(${JSON.stringify(`not in ${untilMs} ms: ${what}`)} + " · " + document.body.innerText.slice(-600)))
        else setTimeout(look, 20)
      }
      look()
    })`)
  const size = async (width: number, height: number) => {
    await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false })
  }
  const prefer = async ({ scheme, reducedMotion, touch }: PageOptions) => {
    const features = [
      ...(scheme === undefined ? [] : [{ name: "prefers-color-scheme", value: scheme }]),
      ...(reducedMotion === true ? [{ name: "prefers-reduced-motion", value: "reduce" }] : [])
    ]
    await send("Emulation.setEmulatedMedia", { features })
    if (touch !== undefined) await send("Emulation.setTouchEmulationEnabled", { enabled: touch })
  }
  const open = async (to: string) => {
    await send("Page.navigate", { url: to })
    await until(`document.readyState === "complete"`, "loaded")
  }
  const press = async (key: Key) => {
    for (const event of keyEvents(key)) await send("Input.dispatchKeyEvent", event)
  }
  const click = async (selector: string) => {
    const found = `(() => {
      const wanted = ${JSON.stringify(selector)}
      const visible = (each) => each.checkVisibility({ visibilityProperty: true })
      if (!wanted.startsWith("text=")) return [...document.querySelectorAll(wanted)].find(visible)
      const name = (each) => (each.getAttribute("aria-label") ?? each.textContent).trim()
      return [...document.querySelectorAll("button, a, summary, label")].filter(visible).find((each) => name(each) === wanted.slice(5))
    })()`
    await until(found, `${selector} to click`)
    await until(
      `(() => {
        const element = ${found}
        element.scrollIntoView({ block: "nearest" })
        const { x, y, width } = element.getBoundingClientRect(), at = x + " " + y
        const isAtRest = window.restAt === at && x + width / 2 > 0 && x + width / 2 < innerWidth
        window.restAt = at
        return isAtRest
      })()`,
      `${selector} to rest`
    )
    const { x, y } = await evaluate<{ x: number; y: number }>(`(() => {
      const element = ${found}
      element.scrollIntoView({ block: "nearest" })
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x: x + width / 2, y: y + height / 2 }
    })()`)
    for (const type of ["mousePressed", "mouseReleased"])
      await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 })
  }
  const picture = async (file: string) => {
    const { data } = await send("Page.captureScreenshot", { format: "png" })
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, Buffer.from(String(data), "base64"))
  }

  if (options.mac === true)
    await send("Emulation.setUserAgentOverride", {
      userAgent:
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0",
      platform: "MacIntel",
      userAgentMetadata: {
        ...{ platform: "macOS", platformVersion: "15.0", architecture: "arm", model: "", mobile: false },
        ...{ brands: [], fullVersionList: [], bitness: "64", wow64: false }
      }
    })
  await size(options.width ?? 900, options.height ?? 800)
  await prefer(options)
  if (url !== "") await open(url)
  return {
    evaluate,
    until,
    open,
    size,
    prefer,
    press,
    type: async (text) => void (await send("Input.insertText", { text })),
    click,
    picture,
    send,
    problems,
    close: async () => {
      await devTools.send("Target.disposeBrowserContext", { browserContextId })
    }
  }
}
