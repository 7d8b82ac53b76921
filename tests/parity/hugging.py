"""Small Hugging Face models of random weights, for all that goes through many
of them: configurations alone, nothing is downloaded.
"""
import torch

import zoo

# transformers looks for torchvision, and stops where its operators lack.
zoo.declare_operators()
import transformers  # noqa: E402

transformers.logging.set_verbosity_error()
TEXT = dict(vocab_size=99, hidden_size=32, num_hidden_layers=2,
            num_attention_heads=4, intermediate_size=37,
            max_position_embeddings=64)
GROUPED = dict(TEXT, num_key_value_heads=2)
SPEECH = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
              intermediate_size=37, conv_dim=(8, 8), conv_stride=(4, 4),
              conv_kernel=(8, 8), num_conv_pos_embeddings=16,
              num_conv_pos_embedding_groups=2, num_feat_extract_layers=2)
PAIR = dict(vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2,
            encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=37, decoder_ffn_dim=37)
GPT2 = dict(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64,
            bos_token_id=1, eos_token_id=2)
EXPERTS = dict(GROUPED, num_experts=4, moe_intermediate_size=16,
               shared_expert_intermediate_size=16)


def ids(*shape):
    return torch.randint(3, 90, shape or (2, 7))


def image():
    return torch.randn(1, 3, 32, 32)


PLAIN = dict(use_cache=False)
# Configuration, class, settings, inputs.
MODELS = [
    ("Bert", "BertModel", TEXT, dict(input_ids=ids())),
    ("Bert", "BertForMaskedLM", TEXT, dict(
        input_ids=ids(), attention_mask=torch.ones(2, 7, dtype=torch.long))),
    ("Roberta", "RobertaModel", TEXT, dict(input_ids=ids())),
    ("Electra", "ElectraModel", dict(TEXT, embedding_size=32),
     dict(input_ids=ids())),
    ("DistilBert", "DistilBertModel",
     dict(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=37,
          max_position_embeddings=64), dict(input_ids=ids())),
    ("Albert", "AlbertModel", dict(TEXT, embedding_size=16),
     dict(input_ids=ids())),
    ("DebertaV2", "DebertaV2Model",
     dict(TEXT, relative_attention=True, position_buckets=4,
          pos_att_type=["c2p", "p2c"]), dict(input_ids=ids())),
    ("GPT2", "GPT2LMHeadModel", GPT2, dict(PLAIN, input_ids=ids())),
    ("GPT2", "GPT2LMHeadModel", GPT2, dict(input_ids=ids())),  # with a cache
    ("GPTNeoX", "GPTNeoXForCausalLM", TEXT, dict(PLAIN, input_ids=ids())),
    ("Llama", "LlamaForCausalLM", GROUPED, dict(PLAIN, input_ids=ids())),
    ("Llama", "LlamaForCausalLM", GROUPED, dict(input_ids=ids())),
    ("Mistral", "MistralForCausalLM", GROUPED, dict(PLAIN, input_ids=ids())),
    ("Qwen2", "Qwen2ForCausalLM", GROUPED, dict(PLAIN, input_ids=ids())),
    ("Qwen3", "Qwen3ForCausalLM", dict(GROUPED, head_dim=8),
     dict(PLAIN, input_ids=ids())),
    ("Gemma", "GemmaForCausalLM", dict(GROUPED, head_dim=8),
     dict(PLAIN, input_ids=ids())),
    ("Phi", "PhiForCausalLM", GROUPED, dict(PLAIN, input_ids=ids())),
    ("OPT", "OPTForCausalLM",
     dict(vocab_size=99, hidden_size=32, num_hidden_layers=2,
          num_attention_heads=4, ffn_dim=37, max_position_embeddings=64,
          word_embed_proj_dim=32), dict(PLAIN, input_ids=ids())),
    ("Qwen2Moe", "Qwen2MoeForCausalLM", EXPERTS,
     dict(PLAIN, input_ids=ids())),
    ("T5", "T5Model", dict(vocab_size=99, d_model=32, d_kv=8, d_ff=37,
                           num_layers=2, num_heads=4),
     dict(PLAIN, input_ids=ids(), decoder_input_ids=ids(2, 5))),
    ("Bart", "BartModel", dict(PAIR, max_position_embeddings=64),
     dict(PLAIN, input_ids=ids())),
    ("ViT", "ViTModel", dict(hidden_size=32, num_hidden_layers=2,
                             num_attention_heads=4, intermediate_size=37,
                             image_size=32, patch_size=8),
     dict(pixel_values=image())),
    ("ConvNext", "ConvNextModel", dict(hidden_sizes=[8, 16, 16, 24],
                                       depths=[1, 1, 1, 1]),
     dict(pixel_values=image())),
    ("ResNet", "ResNetModel", dict(embedding_size=8, hidden_sizes=[8, 16],
                                   depths=[1, 1]),
     dict(pixel_values=image())),
    ("Swin", "SwinModel", dict(image_size=32, patch_size=2, embed_dim=16,
                               depths=[1, 2], num_heads=[2, 4],
                               window_size=4), dict(pixel_values=image())),
    ("CLIPText", "CLIPTextModel", dict(TEXT, bos_token_id=1, eos_token_id=2),
     dict(input_ids=ids())),
    ("Whisper", "WhisperModel",
     dict(PAIR, max_source_positions=50, num_mel_bins=16, pad_token_id=0,
          bos_token_id=1, eos_token_id=2, decoder_start_token_id=3),
     dict(PLAIN, input_features=torch.randn(1, 16, 100),
          decoder_input_ids=ids(1, 5))),
    ("Wav2Vec2", "Wav2Vec2Model", SPEECH,
     dict(input_values=torch.randn(1, 400))),
    ("Hubert", "HubertModel", SPEECH, dict(input_values=torch.randn(1, 400))),
    ("Bloom", "BloomForCausalLM", dict(vocab_size=99, hidden_size=32,
                                       n_layer=2, n_head=4),
     dict(PLAIN, input_ids=ids())),
    ("Falcon", "FalconForCausalLM",
     dict(vocab_size=99, hidden_size=32, num_hidden_layers=2,
          num_attention_heads=4), dict(PLAIN, input_ids=ids())),
    ("Gemma2", "Gemma2ForCausalLM", dict(GROUPED, head_dim=8),
     dict(PLAIN, input_ids=ids())),
    ("XLNet", "XLNetModel", dict(vocab_size=99, d_model=32, n_layer=2,
                                 n_head=4, d_inner=37),
     dict(input_ids=ids())),
    ("FNet", "FNetModel",
     dict(vocab_size=99, hidden_size=32, num_hidden_layers=2,
          intermediate_size=37, max_position_embeddings=64),
     dict(input_ids=ids())),
    ("Pegasus", "PegasusModel", dict(PAIR, max_position_embeddings=64),
     dict(PLAIN, input_ids=ids(), decoder_input_ids=ids(2, 5))),
    ("Segformer", "SegformerModel",
     dict(hidden_sizes=[8, 16, 16, 24], depths=[1, 1, 1, 1],
          num_attention_heads=[1, 2, 2, 2]),
     dict(pixel_values=torch.randn(1, 3, 64, 64))),
    ("MobileViT", "MobileViTModel",
     dict(hidden_sizes=[16, 16, 16], num_attention_heads=4, image_size=64,
          neck_hidden_sizes=[8, 8, 8, 16, 16, 16, 32], patch_size=2),
     dict(pixel_values=torch.randn(1, 3, 64, 64))),
    ("Longformer", "LongformerModel", dict(TEXT, attention_window=4),
     dict(input_ids=ids(2, 8))),
    ("Reformer", "ReformerModel",
     dict(vocab_size=99, axial_pos_embds=False, hidden_size=32,
          num_attention_heads=2, attn_layers=["local", "lsh"],
          max_position_embeddings=64, num_buckets=4, feed_forward_size=32,
          attention_head_size=16), dict(input_ids=ids(2, 8))),
    ("Mamba", "MambaModel", dict(vocab_size=99, hidden_size=32,
                                 num_hidden_layers=2, state_size=4),
     dict(PLAIN, input_ids=ids())),
]


def build(row):
    """The model of a row of MODELS, not in training."""
    config, name, settings, _ = row
    torch.manual_seed(0)
    return getattr(transformers, name)(
        getattr(transformers, config + "Config")(**settings)).eval()


def model(index):
    return build(MODELS[index])


def given(index, name):
    """What a row of MODELS gives its model as NAME."""
    return MODELS[index][3][name]
