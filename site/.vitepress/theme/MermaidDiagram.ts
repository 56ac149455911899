/** Draws a Mermaid diagram in the browser, in the colours of the page. */
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

const LAYOUT = {
  fontFamily: 'Inter, sans-serif',
  // Mermaid lets a message cross its two lines by the padding, so the padding is small.
  sequence: { mirrorActors: false, wrap: true, wrapPadding: 2, width: 180, actorMargin: 80 },
} as const;
const LIGHT = { theme: 'default' } as const;
const DARK = {
  theme: 'dark',
  themeVariables: { noteBkgColor: '#4a4426', noteBorderColor: '#8a7f45', noteTextColor: '#f2edd0' },
} as const;

/** Shows the source until the diagram is there. Pages without a diagram never load Mermaid. */
export const MermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const source = decodeURIComponent(props.source);
    const svg = ref('');

    async function draw(): Promise<void> {
      const { default: mermaid } = await import('mermaid');
      await document.fonts.ready; // Mermaid measures the text.
      mermaid.initialize({ startOnLoad: false, ...(isDark.value ? DARK : LIGHT), ...LAYOUT });
      svg.value = (await mermaid.render(id, source)).svg;
    }

    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === ''
        ? h('pre', { class: 'diagram' }, source)
        : h('div', { class: 'diagram', innerHTML: svg.value });
  },
});
