"""The addresses of the chat."""

from django.urls import path

from apps.chat import api

api_patterns = [
    path("chat", api.ask, name="api_chat"),
    path("turns/<uuid:turn_id>", api.TurnView.as_view(), name="api_turn"),
    path("turns/<uuid:turn_id>/stream", api.stream, name="api_turn_stream"),
    path("turns/<uuid:turn_id>/stop", api.StopView.as_view(), name="api_turn_stop"),
    path(
        "notebooks/<uuid:notebook_id>/conversation",
        api.ConversationView.as_view(),
        name="api_conversation",
    ),
]
