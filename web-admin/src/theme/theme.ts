import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const ink: MantineColorsTuple = [
  '#e9f0f6',
  '#d3e1ee',
  '#b9cde0',
  '#8ab8e0',
  '#5f94c3',
  '#3f77a8',
  '#2f6391',
  '#23527c',
  '#1b4265',
  '#12304c',
];

/** One colour of text for each scheme, in the places that Mantine reads. */
function state(light: string, dark: string): MantineColorsTuple {
  return [dark, dark, dark, dark, dark, light, light, light, light, light];
}

const small = { size: 'xs' } as const;
/** The page has one banner: the header of a dialog is none. */
const noBanner = { role: 'presentation' };
const close = { closeButtonProps: { 'aria-label': 'Close' } };

/** Ink on paper, small controls, system fonts. The colours of both schemes are in theme.css. */
export const theme = createTheme({
  colors: {
    ink,
    ok: state('#17683f', '#70cc98'),
    warn: state('#855000', '#e3b566'),
    bad: state('#a8281f', '#f2918a'),
    busy: ink,
    idle: state('#55524c', '#b3b0a8'),
  },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  respectReducedMotion: true,
  cursorType: 'pointer',
  defaultRadius: 5,
  fontFamily: 'var(--v-sans)',
  fontFamilyMonospace: 'var(--v-mono)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.8125rem', lg: '0.9375rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '0.875rem' }, h3: { fontSize: '0.8125rem' } },
  },
  // Plain objects: what a component brings is loaded with the first page that uses it.
  components: {
    ActionIcon: { defaultProps: { size: 28, variant: 'subtle', color: 'gray' } },
    Alert: { defaultProps: { variant: 'light' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 550, miw: 'max-content' } },
    Button: { defaultProps: { ...small, variant: 'default', fw: 500 } },
    Checkbox: { defaultProps: small },
    DataList: { defaultProps: { size: 'sm' } },
    Drawer: { defaultProps: close },
    DrawerHeader: { defaultProps: noBanner },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end', withinPortal: true } },
    Modal: { defaultProps: { centered: true, size: 460, ...close } },
    ModalHeader: { defaultProps: noBanner },
    NativeSelect: { defaultProps: small },
    PasswordInput: { defaultProps: small },
    Popover: { defaultProps: { shadow: 'md' } },
    SegmentedControl: { defaultProps: small },
    Switch: { defaultProps: small },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } },
    Tabs: { defaultProps: { keepMounted: false }, styles: { list: { marginBottom: 16 } } },
    Textarea: { defaultProps: small },
    TextInput: { defaultProps: small },
    Tooltip: {
      defaultProps: { multiline: true, maw: 420, events: { hover: true, focus: true, touch: true } },
    },
  },
});

/** The light variant of a state: its text on its own soft ground. */
function light(name: string, text: string, soft: string): Record<string, string> {
  return {
    [`--mantine-color-${name}-light`]: `var(--v-${soft})`,
    [`--mantine-color-${name}-light-hover`]: `var(--v-${soft})`,
    [`--mantine-color-${name}-light-color`]: `var(--v-${text})`,
    [`--mantine-color-${name}-outline`]: `var(--v-${text})`,
  };
}

/** Mantine's own variables bent to ours: its defaults fail WCAG AA for secondary text and placeholders. */
export const cssVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--v-surface)',
    '--mantine-color-text': 'var(--v-text)',
    '--mantine-color-bright': 'var(--v-text)',
    '--mantine-color-dimmed': 'var(--v-text-2)',
    '--mantine-color-placeholder': 'var(--v-text-3)',
    '--mantine-color-anchor': 'var(--v-accent)',
    '--mantine-color-error': 'var(--v-bad)',
    '--mantine-color-default': 'var(--v-surface)',
    '--mantine-color-default-hover': 'var(--v-hover)',
    '--mantine-color-default-color': 'var(--v-text)',
    '--mantine-color-default-border': 'var(--v-line)',
    '--mantine-color-gray-light-hover': 'var(--v-hover)',
    '--mantine-color-gray-light-color': 'var(--v-text-2)',
    '--mantine-color-disabled': 'var(--v-sunken)',
    '--mantine-color-disabled-color': 'var(--v-text-3)',
    '--mantine-color-disabled-border': 'var(--v-line)',
    ...light('ink', 'accent', 'accent-soft'),
    ...light('busy', 'accent', 'accent-soft'),
    ...light('ok', 'ok', 'ok-soft'),
    ...light('warn', 'warn', 'warn-soft'),
    ...light('bad', 'bad', 'bad-soft'),
    ...light('idle', 'text-2', 'sunken'),
  };
  return { variables: {}, light: shared, dark: shared };
};
