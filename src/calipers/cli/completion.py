"""`calipers completion`."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the shell completion script.

    \b
    To install it permanently:
      eval "$(calipers completion bash)"   in ~/.bashrc
      eval "$(calipers completion zsh)"    in ~/.zshrc
      calipers completion fish > ~/.config/fish/completions/calipers.fish
    """
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    root = ctx.find_root().command
    # Not BashComplete.source(): it starts bash to learn its version, which a script must not depend on.
    script = completion_class(root, {}, "calipers", "_CALIPERS_COMPLETE")
    click.echo(script.source_template % script.source_vars())
