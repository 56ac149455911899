/** Draws a Mermaid diagram in the browser, in the colours of the page. */
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

const LAYOUT = {
  // Mermaid lets a message cross its two lines by the padding, so the padding is small.
  sequence: { mirrorActors: false, wrap: true, wrapPadding: 2, width: 180, actorMargin: 80 },
} as const;

/** The colours of Mermaid, as names of `src/theme.css`. */
const COLOURS = {
  background: '--ground',
  primaryColor: '--card',
  primaryBorderColor: '--slate',
  primaryTextColor: '--ink',
  secondaryColor: '--slate-faint',
  tertiaryColor: '--ground',
  lineColor: '--soft',
  actorBkg: '--card',
  actorBorder: '--violet',
  actorLineColor: '--slate',
  signalTextColor: '--ink',
  noteBkgColor: '--amber-faint',
  noteBorderColor: '--amber',
  noteTextColor: '--ink',
} as const;

/** Reads the colours as they are in light or in dark mode, and the font of the page. */
function readTheme(): object {
  const probe = document.body.appendChild(document.createElement('span'));
  const colours = Object.entries(COLOURS).map(([name, token]) => {
    probe.style.color = `var(${token})`;
    return [name, getComputedStyle(probe).color];
  });
  const { fontFamily } = getComputedStyle(probe);
  probe.remove();
  return { theme: 'base', fontFamily, themeVariables: Object.fromEntries(colours) };
}

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
      mermaid.initialize({ startOnLoad: false, ...readTheme(), ...LAYOUT });
      svg.value = (await mermaid.render(id, source)).svg;
    }

    onMounted(draw);
    watch(isDark, draw, { flush: 'post' });
    return () =>
      svg.value === ''
        ? h('pre', { class: 'diagram' }, source)
        : h('div', { class: 'diagram', innerHTML: svg.value });
  },
});
